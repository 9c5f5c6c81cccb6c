"""Left rail of Compare: k, methods and all other choices."""
