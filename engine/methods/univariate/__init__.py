"""Methods for one attribute, or for one score made from all of them."""
