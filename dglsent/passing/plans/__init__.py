"""Plans of propagations and rounds: index tensors made with NumPy, in the loader's workers."""
