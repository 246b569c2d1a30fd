"""What a sandbox uses of the machine: control groups, names of owners, leftovers."""
