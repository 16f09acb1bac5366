"""Storage of weights: folders with checksums, safetensors files, the cache, the hub."""
