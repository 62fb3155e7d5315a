"""One folder a page; Streamlit does not discover sub-folders, so only app.py lists them."""
