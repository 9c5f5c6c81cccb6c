"""Certificates: proofs of a run's properties, checkable without this program."""
