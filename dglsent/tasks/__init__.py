"""Tasks: what is predicted, learnt and scored."""
