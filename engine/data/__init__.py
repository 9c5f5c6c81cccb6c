"""Tables: columns, their types and roles, and proposals for types and roles."""
