"""Missing values: codes for them, policies, and which of them can stay."""
