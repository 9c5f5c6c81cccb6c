"""The choices of a plan as fields, one module per subject."""
