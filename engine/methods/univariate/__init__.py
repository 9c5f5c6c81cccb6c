"""Methods for one attribute, or for one score of all attributes."""
