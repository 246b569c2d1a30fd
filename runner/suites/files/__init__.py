"""Files and folders that a suite names, as trees of digests."""
