"""From groups to released values: common values, rules, rounding, suppressed cells."""
