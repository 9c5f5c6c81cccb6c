"""Split records into blocks, and protect each block."""
