"""The Learn page's parts: lessons, the published tables, the glossary."""
