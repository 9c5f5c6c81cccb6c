"""The choices of a plan, one module per subject: a new choice is one field here."""
