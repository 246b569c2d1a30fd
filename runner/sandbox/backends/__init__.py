"""Ways to make a sandbox on this machine, and the choice between them."""
