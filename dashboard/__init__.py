"""The dashboard: pages over the engine.

One package per kind of task, on floors: each imports only from those below.
"""
