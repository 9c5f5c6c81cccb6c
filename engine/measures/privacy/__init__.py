"""Privacy promises of a release to the people in it."""
