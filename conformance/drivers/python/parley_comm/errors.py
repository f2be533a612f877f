"""The error class of this package."""


class CommError(Exception):
    """An error with the code that the specification defines."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data or {}
