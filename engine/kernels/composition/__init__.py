"""What several sums over the same records give away."""
