"""The rail at the left of Compare: k, methods and all other choices."""
