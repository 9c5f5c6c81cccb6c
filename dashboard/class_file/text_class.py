"""Texts of the class file that do not come from its scripts."""

from __future__ import annotations

TITLE = "Microaggregation: a class"
NO_SCRIPT = "This class needs JavaScript, and nothing from the network."
