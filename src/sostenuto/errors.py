"""What can go wrong, as one drawn tree.

SostenutoError
├── FixedPartTooLarge      system, tools, pins and reserve do not fit the window (decisions D10, D50)
├── ConcurrentPrepare      a second ``prepare`` while one runs (D63)
├── UnusableInput          something handed over cannot be read; names what, where and the remedy
│   ├── UnknownFormat      messages or a file in no format we know
│   └── UnknownSetting     a setting's name or value is wrong; carries a suggestion
├── ConversationInUse      somebody else is writing this conversation (D33); says who
├── UnknownKey             a recall key that names nothing in this conversation
├── ContextOverflow        the provider refused twice; nothing smaller can be sent
├── ToolFailed             a tool cannot do what it was asked; the text is for the model
└── ModelFailed            a model endpoint did not answer; says what to do
    ├── TooLong            the request is longer than the model takes (carries the stated figures)
    ├── RateLimited        too much in too short a time; carries when to come back
    ├── NotAuthorised      no key, a wrong one, or one without the right
    ├── RequestRefused     the request is wrong in itself: never tried again
    └── EndpointFailed     unreachable, overloaded, timed out, or cut off in the middle
"""

from __future__ import annotations

from collections.abc import Mapping


class SostenutoError(Exception):
    """Root of every error this package raises on purpose."""


class FixedPartTooLarge(SostenutoError):
    """The parts that may never be rewritten are larger than the window.

    Attributes:
        components: name of each fixed component -> its tokens.
        window: tokens the model takes.
    """

    def __init__(self, components: Mapping[str, int], *, window: int) -> None:
        self.components = dict(components)
        self.window = window
        listed = ", ".join(f"{name} {tokens:,}" for name, tokens in self.components.items())
        super().__init__(
            f"FixedPartTooLarge: {sum(self.components.values()):,} tokens cannot be left out ({listed}) "
            f"but the window is {window:,} tokens; shorten one of them or use a model with a larger window"
        )


class ConcurrentPrepare(SostenutoError):
    """``prepare`` was called while another ``prepare`` of the same manager was still running."""


class UnusableInput(SostenutoError):
    """Something handed over cannot be read; the text names what, where and the remedy."""


class UnknownFormat(UnusableInput):
    """The messages, or the file, are in no format that is known."""


class UnknownSetting(UnusableInput):
    """A setting has an unknown name or an impossible value."""


class ConversationInUse(SostenutoError):
    """Another process, or another manager of this one, is writing the conversation; the text names it."""


class UnknownKey(SostenutoError):
    """A recall key that names nothing in this conversation."""


class ContextOverflow(SostenutoError):
    """The provider refused the request twice and nothing smaller can be sent."""


class ToolFailed(SostenutoError):
    """A tool cannot do what it was asked. The text is for the model: it names the value and what would work."""


class ModelFailed(SostenutoError):
    """A model endpoint did not answer.

    Attributes:
        status: the HTTP status, None where there was no answer at all.
        body: what the endpoint said, as it came.
    """

    def __init__(self, text: str, *, status: int | None = None, body: object = None) -> None:
        self.status = status
        self.body = body
        super().__init__(text)


class TooLong(ModelFailed):
    """The request is longer than the model takes."""


class RateLimited(ModelFailed):
    """Too much was asked in too short a time.

    Attributes:
        retry_after_s: seconds after which to come back, None where the endpoint did not say.
    """

    def __init__(self, text: str, *, status: int | None = None, body: object = None, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(text, status=status, body=body)


class NotAuthorised(ModelFailed):
    """There is no key, it is wrong, or it has not the right."""


class RequestRefused(ModelFailed):
    """The request is wrong in itself; sending it again changes nothing."""


class EndpointFailed(ModelFailed):
    """Unreachable, overloaded, timed out, or cut off in the middle; the same request may succeed later."""


def reason(error: Exception, /) -> str:
    """What went wrong, in a few words for the middle of a sentence: the system's own in lower case, or ours as they are."""
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
