"""What cells of text mean: numbers, dates, missing values, and words as they are."""
