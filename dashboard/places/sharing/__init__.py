"""What places share: turns, readings, sign-outs, quotas and notices."""
