"""Speed and scale: one file a measurement, ratios in one run. `python -m benchmarks` runs them all."""
