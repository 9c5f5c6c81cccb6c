"""Loss and time against a parameter, the data's size or a limit."""
