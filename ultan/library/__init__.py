"""What is remembered: entries, the snapshot of them, and the one road to a write."""
