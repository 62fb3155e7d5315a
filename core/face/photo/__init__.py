"""Real photographs: find faces, crop and paste back, move a face by the mesh of its landmarks."""
