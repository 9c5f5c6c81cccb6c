"""Content of Learn: lessons, published figures, glossary."""
