"""Releases that were handed out: their ledger, order and groups."""
