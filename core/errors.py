"""The one kind of error that is meant to be read by the person at the page."""


class InputError(ValueError):
    """Something a person gave (a file, a setting, a link) cannot be used.

    The message is one sentence that says what was wrong and what is accepted; pages and the
    terminal show it as it is. Every loader, importer and settings check raises this and nothing else.
    """


class MissingValues(InputError):
    """A table has gaps and nobody has said what to do with them.

    Attributes:
        values, rows, columns: how many entries are missing, and in how many rows and columns; a page can offer to
            drop those rows or to fill the gaps.
    """

    def __init__(self, message: str, values: int = 0, rows: int = 0, columns: int = 0):
        super().__init__(message)
        self.values, self.rows, self.columns = int(values), int(rows), int(columns)
