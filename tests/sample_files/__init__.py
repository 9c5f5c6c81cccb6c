"""Small files as people have them, made by a seeded script, and what is in them.

``python -m tests.sample_files FOLDER`` writes them all.
"""
