"""A provider that binds signed thinking to its prefix, played against the ladder: it never has anything to refuse (D29, D54)."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sostenuto import Profile, Request
from tests.engine.conversing import CODECS
from tests.ladder.made_up import Talk, faults, manager, sized

Step = tuple[str, int]
STEPS = st.lists(st.tuples(st.sampled_from(["cycle", "cycle", "cycle", "pair", "reply", "beside"]), st.integers(1, 900)), max_size=30)


class Provider:
    """Remembers in front of which messages each thinking was signed."""

    def __init__(self) -> None:
        self.prefixes: dict[str, str] = {}

    def answers(self, request: Request, signature: str) -> None:
        """Sign a thinking for this request."""
        self.prefixes[signature] = json.dumps(request.arguments["messages"])

    def refuses(self, request: Request) -> list[str]:
        """The signatures whose prefix is no longer what it was, and what the wire forbids."""
        if request.thinking_off:
            return faults(request)
        sent = request.arguments["messages"]
        found = faults(request, thinking=True)
        for number, raw in enumerate(sent):
            blocks = raw["content"] if isinstance(raw["content"], list) else []
            for block in blocks:
                if block.get("type") == "thinking" and self.prefixes[block["signature"]] != json.dumps(sent[:number]):
                    found.append(f"{block['signature']} is bound to another prefix")
        return found


@given(steps=STEPS, window=st.sampled_from([1_500, 3_000, 6_000, 12_000]), flatten=st.booleans())
def test_no_request_is_refused_by_a_provider_that_binds_thinking(steps: list[Step], window: int, flatten: bool) -> None:
    """Library 63: every thinking that is sent stands behind the very messages it was signed behind; open tool loops stay legal."""
    profile = Profile(prefix_bound_thinking=True, may_flatten=flatten)
    context, provider, talk = manager(window, format="anthropic", profile=profile), Provider(), Talk("anthropic").user("Do the task")
    for number, (what, size) in enumerate(steps):
        request = context.prepare_sync(talk.messages)
        assert request.tokens <= window
        assert provider.refuses(request) == []
        thinking = "" if request.thinking_off else "Let me think."
        if what == "reply":
            talk.says("Done.").user(f"request {number} " + sized(size // 4))
            continue
        provider.answers(request, f"sig{talk.cycles + 1}")
        if what == "pair":
            talk.cycle(size, size, thinking=thinking)
        else:
            talk.cycle(size, thinking=thinking)
        if what == "beside":
            last = talk.messages[-1]
            talk.messages[-1] = {**last, "content": [*last["content"], {"type": "text", "text": f"And mind {number}."}]}
    assert provider.refuses(context.prepare_sync(talk.messages)) == []


def test_the_provider_refuses_what_it_should() -> None:
    """The check itself sees a thinking that stands behind an edited prefix."""
    context, provider, talk = manager(50_000, format="anthropic"), Provider(), Talk("anthropic").user("Do the task")
    for _ in range(3):
        provider.answers(context.prepare_sync(talk.messages), f"sig{talk.cycles + 1}")
        talk.cycle(50, thinking="Let me think.")
    assert provider.refuses(context.prepare_sync(talk.messages)) == []
    talk.messages[0] = {"role": "user", "content": "Do another task"}
    request = context.prepare_sync(talk.messages)
    assert len(provider.refuses(request)) == 3
    assert CODECS["anthropic"].problems(request.arguments) == []
