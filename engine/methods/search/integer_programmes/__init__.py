"""Integer programmes over candidate groups: columns, dives, regions, and a proof."""
