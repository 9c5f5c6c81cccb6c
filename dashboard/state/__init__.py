"""State of one browser tab: workspace, undo and redo, and past runs."""
