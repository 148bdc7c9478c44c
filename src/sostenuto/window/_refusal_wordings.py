"""How providers word a refusal: one ordered table, the codes beside it, and where the figures stand in a sentence (D9).

The wordings are facts, gathered from public issue threads and from servers that were run; the patterns have bounded gaps only,
so reading takes linear time whatever the text.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Kind = Literal["tokens", "bytes", "output", "rate", "image", "malformed", "temporary", "other"]

NUMBER: Final = r"(\d[\d,_]{0,14})"
_OUTPUT_NAME = r"max(?:imum)?_?(?:completion_?|output_?|new_?)?tokens"

CODES: Final[dict[str, Kind]] = {
    "ratelimitexceeded": "rate",
    "ratelimiterror": "rate",
    "ratelimitexceedederror": "rate",
    "toomanyrequests": "rate",
    "toomanyrequestsexception": "rate",
    "throttlingexception": "rate",
    "resourceexhausted": "rate",
    "insufficientquota": "rate",
    "contextlengthexceeded": "tokens",
    "contextlengthexceedederror": "tokens",
    "contextwindowexceeded": "tokens",
    "contextwindowexceedederror": "tokens",
    "exceedcontextsizeerror": "tokens",
    "modelcontextwindowexceeded": "tokens",
    "inputtoolong": "tokens",
    "requesttoolarge": "bytes",
    "requesttoolargeerror": "bytes",
    "overloadederror": "temporary",
    "unavailableerror": "temporary",
    "servererror": "temporary",
    "internalservererror": "temporary",
    "internalserverexception": "temporary",
    "serviceunavailableexception": "temporary",
    "modelnotreadyexception": "temporary",
}
"""Codes, types and names of exceptions, in small letters and without anything between them, and what they mean."""


def _row(kind: Kind, *wordings: str) -> tuple[Kind, re.Pattern[str]]:
    return kind, re.compile("|".join(wordings), re.IGNORECASE)


WORDINGS: Final = (
    _row(
        "rate",
        r"\brate.?limit",
        r"\bper[ _-]?min(?:ute)?\b",
        r"\btpm\b",
        r"\bquota\b",
        r"too many requests",
        r"\bthrottl",
        r"too many tokens, please wait",
        r"tokens per (?:day|hour|second)",
    ),
    # input and output together are too much: before the output caps, whose words they share
    _row(
        "tokens",
        r"input length and \W?max_tokens\W? exceed",
        r"inputs\W{0,2} tokens \+ \W?max_new_tokens",
        rf"{_OUTPUT_NAME}\W{{1,3}}is too large: ?{NUMBER}\. ?this model's maximum context length",
        r"number of input and maximum output tokens",
    ),
    _row(
        "output",
        r"maximum allowed number of output tokens",
        rf"{_OUTPUT_NAME}\W{{1,3}}(?:must be|is too (?:large|high|big)|cannot (?:be|exceed)|should be)",
        rf"{_OUTPUT_NAME} ?= ?[\d,_]{{1,15}} cannot",
        rf"(?:range of|invalid) {_OUTPUT_NAME}",
        rf"{_OUTPUT_NAME} value of",
        r"max(?:imum)? tokens you requested exceeds?",
        r"supports at most [\d,_]{1,15} (?:completion|output) tokens",
    ),
    _row(
        "tokens",
        r"context_length_exceeded|exceed_context_size|context_window_exceeded|contextwindowexceeded",
        r"maximum (?:context|prompt|model) length(?: is| of|:)",
        r"\d maximum context length",
        r"\btokens? (?:count )?(?:of [\d,_]{1,15} )?exceeds? the (?:configured )?limit",
        r"exceeds? the (?:available |maximum )?context (?:size|window|length|limit)",
        r"exceeds? (?:the|this) model(?:'s)? (?:maximum )?(?:context|input|prompt)",
        r"exceeds? the maximum number of tokens allowed",
        r"input length [^.\n]{0,30}exceeds the maximum allowed length",
        r"context (?:window|length|size) exceeds? (?:the )?limit",
        r"\btokens \([\d,_]{1,15}\) exceeds? (?:the )?context (?:window|length|size)",
        r"too many tokens: ?(?:total )?[\d,_]{1,15} > ?\d",
        r"\bcontext (?:window|length|size)(?: was| is| has been)? exceeded\b",
        r"exceed(?:s|ed)? model (?:token limit|maximum)",
        r"\b(?:prompt|input) (?:is )?too long",
        r"prompt exceeds max(?:imum)? length",
        r"too large for model with",
        r"reduce the length of the (?:input )?(?:messages|prompt|input)",
        r"longer than the (?:model's )?(?:context|maximum model) length",
        r"greater than the context length",
        r"tokens when context (?:the )?overflows",
        r"range of input length should be",
        r"inputs\W{0,2} must have less than [\d,_]{1,15} tokens",
        r"input token count is [\d,_]{1,15} but",
        r"number of tokens in the prompt cannot exceed",
    ),
    _row(
        "image",
        r"\bimages?\b[^.\n]{0,60}(?:exceeds?\b|too (?:large|big|many)|larger than)",
        r"image_too_large|too many images",
    ),
    _row(
        "bytes",
        r"request_too_large",
        r"(?:request|payload|content)(?: entity| body)?(?: is)? too large",
        r"(?:request|payload|body)(?: size)? exceeds the (?:maximum|max|limit|allowed)",
    ),
    _row(
        "malformed",
        r"tool_use\W{0,2} ids? (?:were found without|must be unique)",
        r"unexpected \W?tool_use_id",
        r"must be followed by tool messages",
        r"must be a response to a prec",
        r"no tool (?:call|output) found for",
        r"function response parts is equal to",
        r"function call turn comes immediately after",
        r"roles must alternate",
        r"unexpected role \W?\w{1,12}\W? after role",
        r"same number of function calls and responses",
        r"tool call and result not match",
        r"duplicate value for \W?tool_call_id",
        r"tool_call_id\W{0,3} (?:is )?not found",
        r"first message must use the \W?user",
        r"(?:must have|must be|must contain) non-empty",
        r"but found \W?(?:tool_use|text)\W? ?\.? ?when \W?thinking",
        r"expected \W?thinking\W? or \W?redacted_thinking",
        r"invalid \W?signature\W? in \W?thinking",
        r"thinking\W{0,2} blocks?[^.\n]{0,60}cannot be modified",
        r"missing a \W?thought_signature",
        r"without its required (?:following|preceding) item",
        r"no user query found in messages",
    ),
    _row(
        "temporary",
        r"(?:loading|warming up) (?:the )?model|model is (?:still |currently )?loading",
        r"\boverloaded\b|service (?:is )?(?:temporarily )?unavailable|temporarily unavailable",
        r"internal (?:server )?error|try again later",
    ),
)
"""In this order: the first row with a wording that a text holds says what kind of refusal it is."""

PHRASED: Final[frozenset[Kind]] = frozenset(("tokens", "bytes", "output", "image"))
"""Kinds whose wordings count only where the status does not speak of something else: a fault of the server may quote them."""


def _places(*fragments: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(fragment.replace("#", NUMBER), re.IGNORECASE) for fragment in fragments)


FIGURES: Final[dict[Kind, dict[str, tuple[re.Pattern[str], ...]]]] = {
    "tokens": {
        "limit": _places(
            r"\bn_ctx\W{1,3}#",
            r"maximum (?:context|prompt|model) length(?: is| of|:)? ?\(?#",
            r"# maximum context length",
            r"context (?:length|size|window)(?: limit)? (?:is |of )?\(?(?:only )?#",
            r"too many tokens: ?(?:total )?[\d,_]{1,15} > ?#",
            r"\d(?: tokens)? > #",
            r"<= ?#",
            r"limit (?:of|is) #",
            r"token limit: ?#",
            r"maximum number of tokens allowed \(?#",
            r"model maximum \(#",
            r"maximum allowed length \(#",
            r"range of input length should be \[\d, ?#",
            r"must have less than # tokens",
            r"only supports up to #",
            r"in the prompt cannot exceed #",
        ),
        "requested": _places(
            r"messages resulted in #",
            r"you requested (?:about |a total of )?# tokens",
            r"\brequested: ?#",
            r"\brequest \(# tokens",
            r"request contains #",
            r"(?:prompt|request) (?:contains|has) (?:at least )?# (?:input )?tokens",
            r"too long: ?#",
            r"token count (?:of |is |\()#",
            r"\btokens \(#\) exceeds? (?:the )?context",
            r"too many tokens: ?(?:total )?#",
            r"prompt tokens \(#",
            r"current length is #",
            r"\bn_keep\W{1,3}#",
            r"keep the first # tokens",
            r"\binput (?:length )?\(# tokens",
            r"prompt \(length #",
            r"maximum output tokens \(#",
            r"tokens\. given: ?#",
            r"cannot exceed [\d,_]{1,15} - received #",
        ),
        "input": _places(
            r"\(# in the messages",
            r"\(# of text input, [\d,_]{1,15} in the",
            r"limit: ?# \+ [\d,_]{1,15} >",
            r"given: ?# \W?inputs",
            r"# tokens from the input messages",
            r"output tokens and your prompt contains (?:at least )?# input tokens",
            r"length is [\d,_]{1,15} tokens and your request has # input tokens",
        ),
        "output": _places(
            r"# in the (?:completion|output)",
            r"limit: ?[\d,_]{1,15} \+ # >",
            r"and # \W?max_new_tokens",
            r"# tokens for the completion",
            r"you requested # output tokens",
            rf"{_OUTPUT_NAME}\W{{1,3}}is too large: ?#",
        ),
    },
    "bytes": {"limit": _places(r"(?:limit|maximum|allowed)[^\d\n]{0,20}# bytes"), "requested": _places(r"# bytes >")},
    "output": {
        "limit": _places(
            r"> #, which is the maximum",
            r"less than or equal to #",
            r"max_model_len ?= ?#",
            r"model limit of #",
            r"at most # (?:completion|output)",
            r"\[\d, ?#",
            r"<= ?#",
        ),
        "output": _places(
            rf"{_OUTPUT_NAME} ?[:=] ?#",
            rf"{_OUTPUT_NAME}\W{{1,3}}is too large: ?#",
            rf"{_OUTPUT_NAME} value of #",
        ),
    },
}
"""Kind -> figure -> the places where it stands, the surest first."""

LOWER_BOUND: Final = re.compile(r"contains at least [\d,_]{1,15} input tokens", re.IGNORECASE)
"""A count the server stopped at when it was enough to refuse: the request has more."""

FIELDS: Final = {"n_ctx": "limit", "n_prompt_tokens": "requested"}
"""Numbers that stand in fields of their own."""
