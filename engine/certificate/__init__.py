"""Certificates: what a run proves, for anyone to check without this program."""
