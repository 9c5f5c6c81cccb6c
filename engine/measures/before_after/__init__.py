"""Original and released values beside each other, by column or in one design."""
