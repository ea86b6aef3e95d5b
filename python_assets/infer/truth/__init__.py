"""Labels of a model against a ground truth."""
