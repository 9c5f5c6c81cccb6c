"""Tables: what columns are, what they hold and what they seem to be."""
