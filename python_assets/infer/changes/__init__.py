"""Two generations on the same prompts: what changed between them."""
