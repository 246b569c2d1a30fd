"""Run agents against suites of tasks, many times over, into a ledger that survives any crash."""
