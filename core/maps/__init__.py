"""Codes or directions as points in a plane: PCA at once, t-SNE and UMAP in a process of their own.

`plane` has the methods, `jobs` starts and follows the process, `child` is what runs in it.
"""
