"""Charts that set results beside each other."""
