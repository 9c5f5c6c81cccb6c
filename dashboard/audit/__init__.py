"""Audit log: who did what and when; ``coterie audit`` detects changed lines."""
