"""Values kept for a while: their keys, memory and eviction."""
