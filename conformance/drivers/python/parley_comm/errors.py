"""The one error of this package."""


class CommError(Exception):
    """A refusal, with the code that the specification gives it."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data or {}
