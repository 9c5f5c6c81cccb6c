"""The Release page's parts: the file, its checks, and what goes with it."""
