"""Direction families: PCA and its relatives, sparse and quantised codes, autoencoders."""
