"""Losses and times printed in the sources, and what this program finds for them."""
