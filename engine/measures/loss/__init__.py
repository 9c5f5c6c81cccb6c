"""How much information a release has lost."""
