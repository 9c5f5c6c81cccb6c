"""Release page: the file as written, its checks and downloads."""
