"""What is said of methods: titles, sources, and those that are not provided."""
