"""Files and lines that commands write."""
