"""What a ledger looks like: tables, views, versions, and whether it is sound."""
