"""What makes the product and is not part of it: the build, the benchmarks, the bank of engines."""
