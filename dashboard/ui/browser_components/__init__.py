"""Components drawn by JavaScript in the browser, and the values that they send back.

One module per component, its script and style beside it.
"""
