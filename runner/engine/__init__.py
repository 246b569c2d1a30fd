"""One trial's life and the loop that runs many: launch, resume, scheduling, retries, limits.

Import from the modules: ``runner.engine.launch`` is both a module and the name of what it does.
"""
