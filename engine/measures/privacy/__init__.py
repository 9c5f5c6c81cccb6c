"""What a release promises about the people in it."""
