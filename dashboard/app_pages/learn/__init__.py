"""Learn page: lessons, published tables, glossary."""
