"""Speed: the torch engine beside DGL's own and the bare matrix products; long sentences."""
