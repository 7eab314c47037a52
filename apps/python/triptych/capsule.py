"""A person's pose from a cloud of points, by a particle filter over posed capsules."""
