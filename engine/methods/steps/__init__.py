"""Steps that several methods take: scores, paths, medoids, runs, what remains."""
