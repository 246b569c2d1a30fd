"""Model calls: clients, prices, and models that are served on this machine.

Import from the parts: each loads a library that the others do without.
"""
