"""Methods that group by numeric and categorical attributes together."""
