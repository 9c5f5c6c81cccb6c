"""Project files: written, read with validation, and resumed."""
