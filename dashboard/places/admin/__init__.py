"""What administrators see and do: pages, commands, the control socket, metrics."""
