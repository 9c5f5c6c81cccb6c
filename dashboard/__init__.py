"""The dashboard: pages over the engine."""
