"""How files write numbers and dates, and values shown as their file writes them."""
