"""The Inspect page's parts: why a group, a record or a value is as it is."""
