"""The server: serving, signing in, browser tabs."""
