"""Audit log: who did what and when, in lines of which none can be changed unseen."""
