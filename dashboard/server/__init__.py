"""The server: launching, serving, signing in, browser tabs."""
