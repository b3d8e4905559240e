"""A trained model in use: it is loaded, predicts, and shows what it used."""
