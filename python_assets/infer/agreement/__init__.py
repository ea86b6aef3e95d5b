"""How far those who label answers agree, with each other and with what a measure reads."""
