"""What a person does with a face: codes from sliders, other faces and layers; strips; presets; how far a bank leaks."""
