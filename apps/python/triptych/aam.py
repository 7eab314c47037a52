"""Facial landmarks by active appearance models: training, fitting, tracking."""
