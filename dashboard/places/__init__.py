"""Places: a server process for each person, behind a proxy that knows whose it is."""
