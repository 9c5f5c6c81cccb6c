"""Supervision: the process that starts places, gives them to people, and ends them."""
