"""The pages, in the order of the menu.

One folder a page: Streamlit discovers files directly inside `pages/` by itself and would run them without the frame,
but leaves sub-folders alone.
"""

PAGES = [
    dict(
        page="pages/directions/page.py",
        title="Basis directions",
        icon=":material/line_axis:",
        url_path="directions",
        default=True,
    ),
    dict(
        page="pages/compatible/page.py",
        title="Compatible spaces",
        icon=":material/compare_arrows:",
        url_path="compatible",
    ),
    dict(page="pages/graphs/page.py", title="Graph spectra", icon=":material/hub:", url_path="graphs"),
    dict(
        page="pages/transforms/page.py", title="Learned transforms", icon=":material/graphic_eq:", url_path="transforms"
    ),
    dict(page="pages/steering/page.py", title="Steer generations", icon=":material/edit_note:", url_path="steering"),
    dict(page="pages/transport/page.py", title="Frequency transport", icon=":material/waves:", url_path="transport"),
    dict(page="pages/library/page.py", title="Library", icon=":material/inventory_2:", url_path="library"),
]
