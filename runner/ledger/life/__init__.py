"""A sweep's life as writes: recorded, claimed, journalled, finished, taken back."""
