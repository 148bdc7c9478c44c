"""The page: whole, harmless, small, the same every time."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sostenuto.errors import UnusableInput
from sostenuto.replaying import Happening
from sostenuto.reporting import page, verdict
from tests.reporting.stories import Parsed, cleared, cycle, row, said, story

EVIL = "</script><script>document.title='hit'</script><!--<img src=x onerror=alert(1)>\"'><svg onload=alert(1)>\u2028\ud800&lt;"


def test_the_page_has_landmarks_headings_and_one_of_each_id() -> None:
    """Header, navigation, main and footer are there once, headings go down by one, ids are unique, every link leads somewhere."""
    parsed = Parsed(page(cleared()))
    names = [tag for tag, _ in parsed.elements]
    assert [names.count(tag) for tag in ("header", "nav", "main", "footer", "h1")] == [1, 1, 1, 1, 1]
    assert names.index("h1") < names.index("h2")
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [str(attributes["href"]) for tag, attributes in parsed.elements if tag == "a"]
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    labelled = [attributes["aria-labelledby"] for tag, attributes in parsed.elements if tag == "section"]
    assert set(labelled) <= set(ids)
    assert ("html", {"lang": "en"}) in parsed.elements


def test_the_page_asks_nothing_of_any_network() -> None:
    """No element loads anything, no address is in it, and the policy forbids all but its own style and script."""
    text = page(cleared())
    parsed = Parsed(text)
    assert not [tag for tag, attributes in parsed.elements if "src" in attributes or tag in ("link", "img", "iframe", "object", "base")]
    assert set(re.findall(r"https?://[^\s\"'`]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address that is opened
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML|outerHTML|insertAdjacent|\beval\(", text)
    policy = next(str(attributes["content"]) for tag, attributes in parsed.elements if attributes.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not [name for _, attributes in parsed.elements for name in attributes if name.startswith("on") or name == "style"]


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    """Markup in every field a session or a person fills opens no element, and the data says it letter by letter."""
    harmless = Parsed(page(cleared()))
    evil_answer = cycle(0, EVIL, path=f"a/{EVIL}")
    evil_answer[0]["content"] = EVIL
    evil_answer[0]["tool_calls"][0]["function"]["name"] = EVIL
    history = [said("system", EVIL), said("user", EVIL), *evil_answer]
    event = Happening("clear", 9, 5, EVIL, (EVIL, "m1.0"))
    odd = Happening(EVIL, 9, 5, EVIL, ())
    fields = {"title": EVIL, "settings": ((EVIL, EVIL),), "asides": (EVIL,), "kept_in": EVIL, "version": EVIL}
    text = page(story([row(0, history, event, odd, notices=(EVIL,))], [history], **fields))
    parsed = Parsed(text)
    assert [tag for tag, _ in parsed.elements if tag in ("script", "img", "svg")] == [
        tag for tag, _ in harmless.elements if tag in ("script", "img", "svg")
    ]
    assert parsed.scripts[1] == harmless.scripts[1]
    assert not {"<", "\u2028"} & set(parsed.scripts[0])
    bodies = parsed.data["bodies"]
    assert [piece[2] for piece in bodies[0]] == [EVIL]
    assert parsed.data["notices"]["0"] == [EVIL]
    text.encode()


def test_secrets_are_not_printed() -> None:
    """A key in a message, a notice, a reason or a setting is nowhere in the file; what stands beside it is."""
    key = "sk-proj-" + "a1B2c3D4" * 4
    history = [said("user", f"use {key} please"), *cycle(0, f"token={key}")]
    event = Happening("clear", 9, 5, f"because of {key}", ("m2.0",))
    text = page(story([row(0, history, event, notices=(f"seen {key}",))], [history], settings=(("pin", key),), title=key))
    assert key not in text
    assert "use [redacted] please" in text


def test_equal_stories_give_equal_bytes() -> None:
    """There is no clock and no chance in a page."""
    assert page(cleared()) == page(cleared())


def test_the_verdict_and_the_figures_are_readable_without_the_script() -> None:
    """Verdict, cost with its numbers, what stayed, settings and version stand in the page itself, with units."""
    told = replace(cleared(), settings=(("Window", "16,000 tokens, given"),), version="1.2.3", asides=("Beware of this.",))
    words = Parsed(page(told)).words
    assert verdict(told.rows, told.figures, unedited=told.unedited) in words
    for part in (
        "fresh input tokens",
        f"{told.doing_nothing.sent - told.doing_nothing.appended:,}",
        "16,000 tokens, given",
        "sostenuto 1.2.3",
    ):
        assert part in words
    assert "Beware of this." in words
    assert "The task 100 %" in words


def test_one_request_of_one_message_is_a_report() -> None:
    """The smallest story has a page; one without a request is refused with a remedy."""
    history = [said("user", "hello")]
    parsed = Parsed(page(story([row(0, history)], [history])))
    assert parsed.data["tokens"] == [107] or parsed.data["tokens"][0] > 100
    assert "Nothing left view" in parsed.words
    with pytest.raises(UnusableInput, match="at least one request"):
        page(story([], []))


def test_a_session_of_500_messages_stays_below_3_megabytes() -> None:
    """Long bodies are folded to a head and a tail with the number of characters between; each body is there once."""
    history = [said("user", "Go.")]
    handed, rows = [], []
    for number in range(250):
        history = [*history, *cycle(number, f"start{number} " + "日本語の長い行\n" * 500 + f"end{number}")]
        handed.append(history)
        rows.append(row(number, history, tokens=10_000))
    text = page(story(rows, handed))
    assert len(text.encode()) < 3_000_000
    for number in (0, 249):
        assert text.count(f"start{number} ") == 1
        assert text.count(f'end{number}"') == 1
    body = Parsed(text).data["bodies"][2][0]
    assert len(body) == 5
    assert len(body[2]) + body[3] + len(body[4]) == len(history[2]["content"])
