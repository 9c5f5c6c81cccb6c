"""From what people write to rules, edits and conditions."""
