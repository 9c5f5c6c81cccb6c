"""Content of Learn: published figures, run times, glossary."""
