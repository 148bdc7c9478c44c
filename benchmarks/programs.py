"""Pieces of made-up programs, reports and console output, each in two shapes: half 0 for fitting, half 1 for judging."""

# ruff: noqa: E501 - templates
from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Words(Protocol):
    """What the pieces are made of."""

    def noun(self) -> str: ...
    def verb(self) -> str: ...
    def folder(self) -> str: ...
    def camel(self) -> str: ...
    def choice(self, seq: Sequence[T], /) -> T: ...
    def sample(self, population: str, k: int) -> list[str]: ...
    def randint(self, a: int, b: int) -> int: ...
    def getrandbits(self, k: int, /) -> int: ...
    def random(self) -> float: ...


def typescript(draw: Words, half: int) -> str:
    """An interface with a function, or a component with a hook and an enum."""
    name, kind, call = draw.camel(), draw.noun().capitalize(), draw.camel()
    field, other = draw.noun(), draw.noun()
    if half:
        return (
            f"enum {kind}State {{\n  Idle = '{field}',\n  Busy = '{other}',\n}}\n\n"
            f"type Props = Readonly<{{ {field}Id: number; {other}s: Map<string, {kind}>; on{kind}?: () => void }}>;\n\n"
            f"export default function {kind}View({{ {field}Id, {other}s, on{kind} }}: Props) {{\n"
            f"  const [{field}, set{kind}] = useState<{kind} | null>(null);\n\n  useEffect(() => {{\n    let cancelled = false;\n"
            f"    api.{call}({field}Id).then((data) => !cancelled && set{kind}(data)).catch(console.error);\n"
            f"    return () => {{ cancelled = true; }};\n  }}, [{field}Id]);\n\n"
            f"  if ({field} == null) return <Spinner size={{{draw.randint(8, 64)}}} />;\n"
            f'  return (\n    <div className="{field}-{other}" onClick={{on{kind}}}>\n      {{[...{other}s.values()].map(({other}) => (\n'
            f"        <{kind}Row key={{{other}.id}} label={{{other}.{draw.noun()}}} onChange={{{name}}} />\n      ))}}\n    </div>\n  );\n}}\n\n"
        )
    return (
        f"export interface {kind}Props {{\n  {field}: string;\n  {other}?: number;\n  onChange: (value: {kind}) => void;\n}}\n\n"
        f"/** Returns the {field} of the {other}. */\nexport async function {name}({field}: {kind}, options = {{}}): Promise<{kind}[]> {{\n"
        f"  const {other}s = await this.{draw.noun()}Service.{call}({field}.id);\n"
        f"  if (!{other}s.length) {{\n    throw new Error(`No {other} found for ${{{field}.name}}`);\n  }}\n"
        f"  return {other}s.filter((entry) => entry.{field} !== undefined).map((entry) => ({{ ...entry, {field} }}));\n}}\n\n"
        f"import {{ {kind}, {call} }} from '../{draw.folder()}/{field}-{other}';\n"
    )


def minified(draw: Words, half: int) -> str:
    """A function and a method of a prototype, or arrows, classes and a switch."""
    a, b, c = draw.sample(string.ascii_lowercase, 3)
    name, field = draw.camel(), draw.noun()
    if half:
        return (
            f"const {a}=({b},{c})=>{b}&&{b}.{field}?{c}.map(e=>e.{name}({b})):[];class {b} extends {c}.{draw.noun().capitalize()}{{"
            f"constructor(e){{super(e),this.state={{{field}:{draw.randint(0, 999)},{draw.noun()}:!1}},this.{draw.camel()}=this.{name}.bind(this)}}"
            f'{name}({a}){{switch({a}.type){{case"{draw.noun()}":return{{...{a},{field}:null}};case"{field}":{c}.{draw.camel()}({a}.id);break;default:}}}}}}'
            f'var {c}=document.querySelector("#{field}-{draw.noun()}");{c}.addEventListener("click",(()=>{a}({c},{b}))),'
        )
    return (
        f"function {a}({b},{c}){{var e={b}.{field}||{{}};return void 0!==e.{name}?{c}.{draw.camel()}(e,{draw.randint(0, 99)}):null}}"
        f'{a}.prototype.{name}=function({b}){{if(!this.{field})throw new Error("{field} {draw.noun()} missing");'
        f"for(var {c}=0;{c}<{b}.length;{c}++)this.{field}.push({b}[{c}]);return this}};t.exports={{{name}:{a},{field}:!0}};"
    )


def report(draw: Words, half: int, *, suffixes: list[str]) -> str:
    """Prose of an agent: Markdown with paths, code spans, lists and numbers."""
    path = f"`{draw.folder()}/{draw.noun()}_{draw.noun()}.{draw.choice(suffixes)}`"
    if half:
        return draw.choice(
            (
                f"Looking at {path}, the {draw.noun()} is only ever created when the {draw.noun()} already exists, which explains the failure.\n\n",
                f"1. `{draw.camel()}` still expects a {draw.noun()} - I changed it to accept any {draw.noun()} and added {draw.randint(2, 9)} tests.\n",
                f"### What changed\n\n| file | change |\n| --- | --- |\n| {path} | {draw.verb()} the {draw.noun()} before the {draw.noun()} |\n\n",
                f"All {draw.randint(20, 400)} tests pass now. Let me also {draw.verb()} the {draw.noun()} so that we don't {draw.verb()} it twice.\n",
                f"```bash\n$ make {draw.noun()} && ./{draw.folder()}/{draw.verb()}.sh --{draw.noun()}={draw.randint(1, 99)}\n```\n",
            )
        )
    return draw.choice(
        (
            f"I'll {draw.verb()} the {draw.noun()} first, then look at {path} to see how the {draw.noun()} is handled.\n\n",
            f"- **{draw.noun().capitalize()}**: `{draw.camel()}()` now returns the {draw.noun()} ({draw.randint(2, 99)} tests pass)\n",
            f"## {draw.verb().capitalize()} the {draw.noun()}\n\nThe problem is in {path}, line {draw.randint(3, 900)}: "
            f"the {draw.noun()} isn't checked before the {draw.noun()} is used.\n",
            f"```python\nresult = {draw.noun()}.{draw.verb()}_{draw.noun()}({draw.noun()}={draw.randint(0, 9)})\n```\n",
        )
    )


def console(draw: Words, half: int) -> str:
    """What a terminal shows: tests, a traceback, searches, version control."""
    path = f"{draw.folder()}/{draw.noun()}/{draw.verb()}_{draw.noun()}"
    if half:
        return draw.choice(
            (
                f"{path}.go:{draw.randint(3, 900)}:{draw.randint(1, 80)}: undefined: {draw.camel()}\n",
                f"--- FAIL: Test{draw.camel().capitalize()} ({draw.random():.2f}s)\n    {draw.noun()}_test.go:{draw.randint(9, 400)}: got {draw.randint(0, 99)}, want nil\n",
                f"{draw.getrandbits(28):07x} {draw.verb()}({draw.noun()}): {draw.verb()} the {draw.noun()} (#{draw.randint(1, 9999)})\n",
                f" M {path}.go\n?? {draw.folder()}/{draw.noun()}/\nOn branch {draw.verb()}-{draw.noun()}\nChanges not staged for commit:\n",
                f"npm WARN deprecated {draw.noun()}-{draw.noun()}@{draw.randint(0, 9)}.{draw.randint(0, 30)}.{draw.randint(0, 9)}: use {draw.noun()} instead\n",
            )
        )
    return draw.choice(
        (
            f"tests/{path}.py::test_{draw.verb()}_{draw.noun()} PASSED {' ' * 20}[{draw.randint(1, 99):>3}%]\n",
            f'Traceback (most recent call last):\n  File "/home/me/{path}.py", line {draw.randint(3, 900)}, in {draw.verb()}_{draw.noun()}\n'
            f"    return self.{draw.noun()}[{draw.noun()}]\nKeyError: '{draw.noun()}'\n",
            f"{path}.py:{draw.randint(3, 900)}:    def {draw.verb()}_{draw.noun()}(self, {draw.noun()}: str) -> None:\n",
            f"{'=' * 24} {draw.randint(1, 9)} failed, {draw.randint(10, 999)} passed in {draw.random() * 60:.2f}s {'=' * 24}\n",
            f"drwxr-xr-x {draw.noun()}\n$ grep -rn {draw.noun()} {draw.folder()}/ | head -{draw.randint(5, 50)}\n",
        )
    )


def constants(draw: Words, half: int) -> str:
    """Text in capitals: settings, queries, codes."""
    name = f"{draw.verb()}_{draw.noun()}_{draw.noun()}".upper()
    codes = ("USD EUR GBP JPY CHF CNY INR BRL" if half else "HTTP JSON UTC API CPU SQL TLS AWS").split()
    if half:
        return draw.choice(
            (
                f'  "{draw.choice(codes)}": {draw.random() * 100:.4f},\n',
                f"#define {name} (1U << {draw.randint(0, 31)})\n",
                f"UPDATE {draw.noun()}s SET {draw.noun()} = {draw.randint(0, 99)} WHERE ID IN (SELECT {draw.noun()}_ID FROM {draw.noun()}S);\n",
                f"CRITICAL: {name} MUST BE {draw.verb().upper()} BEFORE THE {draw.noun().upper()}\n",
            )
        )
    return draw.choice(
        (
            f"export {name}={draw.randint(1, 9999)}\n",
            f"SELECT {draw.noun()}, COUNT(*) FROM {draw.noun()}s LEFT JOIN {draw.noun()} ON {draw.noun()}.ID = {draw.noun()}.ID GROUP BY 1;\n",
            f"{draw.choice(codes)} {draw.choice(codes)} {draw.noun().upper()} {draw.verb().upper()}: DO NOT {draw.verb().upper()} THE {draw.noun().upper()}\n",
            f"{name} = frozenset({{{draw.choice(codes)}_{draw.noun().upper()}, {draw.choice(codes)}}})\n",
        )
    )
