"""A small EDTalk of our own, trained on pictures of the parametric head: training, measures, the shipped model."""
