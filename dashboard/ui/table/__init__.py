"""What is opened, shown and asked of a table before anything runs."""
