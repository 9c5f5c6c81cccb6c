"""Round released values so that rules hold exactly in decimals."""
