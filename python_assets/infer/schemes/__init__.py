"""How groups are compared: in blocks, in pairs, over units of their own."""
