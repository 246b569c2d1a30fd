"""Questions to a ledger; none ever takes a write lock."""
