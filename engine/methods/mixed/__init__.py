"""Methods that group by numbers and categories together."""
