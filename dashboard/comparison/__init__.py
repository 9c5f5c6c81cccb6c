"""The Compare page's parts: many results at once, and two side by side."""
