"""What people bring: files read in processes of their own, under hard limits."""
