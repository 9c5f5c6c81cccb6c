"""What is chosen: methods and their parameters, and plan files."""
