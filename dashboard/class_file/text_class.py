"""Texts that a class file has before its script runs."""

from __future__ import annotations

TITLE = "Microaggregation: a class"
NO_SCRIPT = "This class needs JavaScript, and nothing from the network."
