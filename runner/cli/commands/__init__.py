"""One file for each command, and what launch and resume do behind theirs."""
