"""What runs: worker processes, their progress, and what came of them."""
