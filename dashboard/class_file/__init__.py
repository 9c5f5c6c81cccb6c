"""Class files: lessons, exercises and a game in one HTML file for teaching."""
