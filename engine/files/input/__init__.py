"""From a path or an upload to typed columns: bytes, options, preview."""
