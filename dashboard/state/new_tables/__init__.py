"""Bring a table into a workspace, and carry over what still applies."""
