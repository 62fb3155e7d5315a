"""Help for tests of the page *Learned transforms*."""

from page_app import PageApp

from pages.transforms.view import TransformsView

app = PageApp("transforms", TransformsView)
open_at, now, said, clean, by_key, metrics = app.open_at, app.now, app.said, app.clean, app.by_key, app.metrics
