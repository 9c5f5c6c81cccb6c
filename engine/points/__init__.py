"""Tables as points: what methods, bounds and measures see."""
