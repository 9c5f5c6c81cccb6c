"""Certificates: proofs of a run's loss and bound, checkable without this program."""
