"""What people and programs see: data on stdout, everything else on stderr."""
