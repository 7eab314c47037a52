"""The head's position and distance from the fuzzy skin colour of every pixel."""
