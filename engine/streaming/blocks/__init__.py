"""Split records into blocks, and protect the blocks in threads or on a cluster."""
