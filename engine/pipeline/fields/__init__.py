"""The choices of a plan, a module a subject: a new one is a field in one of them."""
