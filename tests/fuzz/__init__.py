"""Random tables, files and plans, whose releases are judged from what was written.

One module per kind of trial: commands, tiny tables, projects that are carried on.
"""
