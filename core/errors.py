"""The one kind of error that is meant to be read by the person at the page."""


class InputError(ValueError):
    """Something a person gave (a file, a setting, a link) cannot be used.

    The message is one sentence that says what was wrong and what is accepted; pages and the
    terminal show it as it is. Every loader, importer and settings check raises this and nothing else.
    """
