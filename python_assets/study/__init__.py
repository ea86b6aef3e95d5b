"""What a study is: models of the parts of a study file, its problems, factors, margins and statistics."""
