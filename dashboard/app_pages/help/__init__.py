"""Help page: the manual by chapters, with search."""
