"""Write releases, read them back and verify them."""
