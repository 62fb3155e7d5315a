"""Parts of the tab *Drive*: what drives the face, its curves, and the clip that comes of it."""
