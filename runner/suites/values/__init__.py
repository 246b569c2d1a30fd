"""From nodes to typed values: numbers, sizes, money, names, settings."""
