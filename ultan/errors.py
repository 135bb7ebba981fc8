"""Every way Ultan can fail, as one tree.

UltanError
├── UsageError            the words of a command are off                    exit 2
├── SettingsError         a setting is unknown, of the wrong type or range
├── HomeRefused           the home is inside the project, or not ours
├── StorageFailed         the disk said no: full, read-only, no permission
├── LibraryError
│   ├── InvalidEntry      a file that is no entry, or breaks the format
│   ├── OutsideLibrary    a path that would leave the library
│   ├── LibraryMoved      a file changed since it was read: plan again
│   ├── LibraryBusy       another process holds the lock
│   └── NoSuchEntry       nothing has that name
├── IndexUnreadable       the compiled index is missing, torn, foreign or newer
└── LanguageModelError
    ├── QuotaReached      rate limit or cap: the batch is kept
    ├── NotLoggedIn       authentication failed: the batch is kept
    ├── MalformedReply    no valid result after the allowed corrections
    └── ModelUnavailable  the provider is missing, unreachable or too slow

A class owns its exit code; an instance may carry a hint: what the user can do.
"""


class UltanError(Exception):
    """Anything Ultan can say in one line, with a hint at what to do."""

    exit_code = 1
    hint = ""

    def __init__(self, message: str, hint: str = "") -> None:
        """Keep *message* and, if given, a *hint* more precise than the class's own."""
        super().__init__(message)
        if hint:
            self.hint = hint


class UsageError(UltanError):
    """The words of a command are off."""

    exit_code = 2


class SettingsError(UltanError):
    """A setting is unknown, of the wrong type or out of range."""

    hint = "run `ultan config` to see every setting with its unit and range"


class HomeRefused(UltanError):
    """The home lies inside the current project or belongs to somebody else."""

    hint = "choose another place with --home or ULTAN_HOME, outside the project"


class StorageFailed(UltanError):
    """The disk said no: full, read-only or without permission."""

    hint = "run `ultan doctor` to see what the disk says"


class LibraryError(UltanError):
    """The library cannot do what was asked."""


class InvalidEntry(LibraryError):
    """A file that is no entry, or breaks the format."""

    hint = "run `ultan check` to see every such file and why"


class OutsideLibrary(LibraryError):
    """A path that would leave the library."""


class LibraryMoved(LibraryError):
    """A file changed between reading and writing."""

    hint = "somebody edited the library at the same moment; run the command again"


class LibraryBusy(LibraryError):
    """Another process holds the lock."""

    hint = "wait a moment; `ultan doctor` names the holder"


class NoSuchEntry(LibraryError):
    """Nothing in the library has that name."""

    hint = "run `ultan search` or `ultan list` to find it"


class IndexUnreadable(UltanError):
    """The compiled index is missing, torn, foreign or newer than this version."""

    hint = "run `ultan rebuild`"


class LanguageModelError(UltanError):
    """A language model did not answer as it should.

    ``spent`` is the ``llm.Reply`` without a value that the failed call cost, where known;
    ``until`` the seconds since the epoch before which trying again is useless, 0 if unknown.
    """

    spent: object = None
    until: float = 0.0


class QuotaReached(LanguageModelError):
    """A rate limit or a cap of ours: the batch is kept."""

    hint = "the batch is kept and tried again; `ultan doctor` shows when"


class NotLoggedIn(LanguageModelError):
    """Authentication failed: the batch is kept."""

    hint = "run `claude` and log in, or choose the clerk with `ultan config curation.by clerk`"


class MalformedReply(LanguageModelError):
    """No valid result after the allowed corrections."""


class ModelUnavailable(LanguageModelError):
    """The provider is missing, unreachable or too slow."""
