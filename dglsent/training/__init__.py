"""Training: recipes, batches, Lightning around a model, and run folders."""
