"""The four parts of the page: what stands left, in the centre, and in the tabs of each."""
