"""A parametric head with exact factors: mesh, movements, people, renderer, counterfactual pictures."""
