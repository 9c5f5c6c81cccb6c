"""What Learn teaches, without a screen: lessons, published figures, glossary."""
