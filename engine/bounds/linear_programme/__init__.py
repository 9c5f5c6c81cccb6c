"""Bound LB2: the linear programme over groups, its columns, cuts and branches."""
