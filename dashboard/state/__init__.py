"""The work of one browser tab: its choices, undo and redo, runs to go back to."""
