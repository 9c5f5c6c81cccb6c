"""Tables: types and roles of columns, their values, and proposals for both."""
