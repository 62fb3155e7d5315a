"""The tab *Map*: what is laid out, how it is coloured, and what is selected."""
