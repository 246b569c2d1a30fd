"""The parts of a suite: tasks, graders, configurations, and the whole."""
