"""From a column's values to an attribute with float64 numbers, and back."""
