"""Real parts for tests: a scripted model service, clocks, a database server, shared contracts."""
