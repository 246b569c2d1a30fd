"""From text to nodes: YAML, JSON lines and CSV, each scalar with its line."""
