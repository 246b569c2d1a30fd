"""Getting rows and contents into and out of either database, durably."""
