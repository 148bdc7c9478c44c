"""Speed and memory against the budgets: ``python -m benchmarks``. Ratios measured in one run, never timed tests."""
