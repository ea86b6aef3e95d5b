"""Effects of several factors, and the tests of FAIR-SEA's document over rows."""
