"""What several kernels are made of: sums, indices, oracles, factors."""
