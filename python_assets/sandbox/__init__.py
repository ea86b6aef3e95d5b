"""Foreign files are opened in a process of their own, whose memory and time are bounded, and only data comes back."""
