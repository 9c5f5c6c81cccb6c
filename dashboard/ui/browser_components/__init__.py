"""Components drawn by JavaScript in the browser, and the values that they send back."""
