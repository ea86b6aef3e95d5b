"""What is drawn at random: units exchanged within strata, units turned round."""
