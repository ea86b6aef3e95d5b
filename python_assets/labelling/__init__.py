"""What is drawn from answers for people and trainings: sheets with the labels that came back, and pairs of answers."""
