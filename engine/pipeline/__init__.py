"""From a plan and a table to an outcome: prepare, group, aggregate, measure."""
