"""What pages say of results: figures, measures, and the one that is selected."""
