"""Labels of people: sheets that are drawn for them, and what they wrote into them."""
