"""Speed and loss against fixed anchors, measured in one run and printed as ratios."""
