"""Moments of a workspace, between which undo and redo move."""
