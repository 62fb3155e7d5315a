"""Steering: a language model, a basis of its own activations, and writing with weights on its directions."""
