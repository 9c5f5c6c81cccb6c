"""Which plans a search tries, in what order, and until when."""
