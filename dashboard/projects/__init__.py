"""A session's work as a file: written, read with distrust, gone on with."""
