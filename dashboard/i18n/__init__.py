"""Everything that people read: texts, and their translations."""
