"""Which records a person left behind by going back: prompts that were edited and sent again, with everything that hung below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """One record of a session tree, in file order.

    Attributes:
        name: its own identifier, or ``None`` when it has none.
        parent: identifier of the record it follows, or ``None`` for a root.
        prompt: a person typed it (no result, no meta text, no interruption mark).
        spoken: it is part of the conversation; other records are looked through when siblings are sought.
    """

    name: str | None
    parent: str | None
    prompt: bool
    spoken: bool


def rewound(nodes: Sequence[Node]) -> frozenset[int]:
    """Positions of the nodes on branches that were abandoned by editing an earlier prompt.

    Two prompts after the same record are such an edit, and the later one holds. Parallel calls make siblings too, but those are
    replies and results and are never touched. An earlier branch that goes on after the later prompt was no rewind: everything stays.
    """
    parents = _parent_positions(nodes)
    last = _last_descendants(parents)
    anchors = _spoken_ancestors(nodes, parents)
    newest: dict[int, int] = {}
    dead: set[int] = set()
    for position, node in enumerate(nodes):
        if not node.prompt:
            continue
        anchor = anchors[position]
        if anchor is None:
            continue
        earlier = newest.get(anchor)
        if earlier is not None and last[earlier] < position:
            dead.add(earlier)
        newest[anchor] = position
    for position, parent in enumerate(parents):
        if parent is not None and parent in dead:
            dead.add(position)
    return frozenset(dead)


def chain(nodes: Sequence[Node], leaf: int) -> frozenset[int]:
    """Positions from ``leaf`` up to its root, ``leaf`` included."""
    parents = _parent_positions(nodes)
    found: set[int] = set()
    at: int | None = leaf
    while at is not None:
        found.add(at)
        at = parents[at]
    return frozenset(found)


def _parent_positions(nodes: Sequence[Node]) -> list[int | None]:
    """Position of each node's parent; a parent that is missing or comes later in the file counts as none, so there is no cycle."""
    seen: dict[str, int] = {}
    parents: list[int | None] = []
    for position, node in enumerate(nodes):
        parents.append(seen.get(node.parent) if node.parent is not None else None)
        if node.name is not None:
            seen.setdefault(node.name, position)
    return parents


def _last_descendants(parents: Sequence[int | None]) -> list[int]:
    last = list(range(len(parents)))
    for position in range(len(parents) - 1, -1, -1):
        parent = parents[position]
        if parent is not None:
            last[parent] = max(last[parent], last[position])
    return last


def _spoken_ancestors(nodes: Sequence[Node], parents: Sequence[int | None]) -> list[int | None]:
    anchors: list[int | None] = []
    for parent in parents:
        anchors.append(parent if parent is None or nodes[parent].spoken else anchors[parent])
    return anchors
