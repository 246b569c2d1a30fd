"""The runner's side of a sandbox: starting its first process and talking to it."""
