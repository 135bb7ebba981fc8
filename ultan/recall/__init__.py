"""Finding the entries that matter."""
