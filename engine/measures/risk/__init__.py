"""What somebody could find out from a release about the people in it."""
