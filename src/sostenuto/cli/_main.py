"""The program: its commands, its exit codes, and one line for everything that goes wrong.

Exit codes: 0 worked, 1 failed, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from sostenuto.cli._streams import OUTPUT, abandon, present, say
from sostenuto.errors import SostenutoError, UnknownSetting, reason

COMMANDS = {
    "agent": ("_agent", "Create, list, show, edit and delete agents."),
    "config": ("_config", "Show and change settings."),
    "context": ("_context", "Show what fills a conversation's window, compact it, and take that back."),
    "conversations": ("_conversations", "List, show, search, export, import and delete conversations."),
    "convert": ("_convert", "Write a recorded session as another provider's API takes it."),
    "data": ("_data", "Show what is kept on this machine, purge it, or copy it."),
    "demo": ("_demo", "Watch a long task stay inside a small window; no key, no network."),
    "doctor": ("_doctor", "Say what works on this machine, what does not, and what to do."),
    "inspect": ("_inspect", "Look at a kept conversation: what was said, what was done to it, why."),
    "models": ("_models", "Show the windows and prices of models, and where the numbers come from."),
    "recall": ("_recall", "Read back what left the context of a conversation or a kept replay."),
    "replay": ("_replay", "Show what a recorded session would have sent."),
    "run": ("_run", "Let an agent work on a task inside its window and its limits."),
    "tokens": ("_tokens", "Count the tokens of a file and say how."),
    "verify": ("_verify", "Show what a recorded session would lose and cost, here and with other libraries."),
    "work": ("_work", "Show or clear the state, todos and journal of a conversation's work."),
}
"""Command -> (file, one line of help). A command's file is imported only when it is asked for: the start stays fast."""

INTERRUPTED = 130


class Commands(click.Group):
    """The commands, imported on use."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """``help COMMAND`` asks for what ``COMMAND --help`` does."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an interrupt is turned into an exit code here, before click prints anything about it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"sostenuto.cli.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with the nearest name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}{_nearest(args[0])}; there are {', '.join(sorted(COMMANDS))}", ctx=ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda ctx, _, asked: _version(ctx, asked),
    help="Show the version.",
)
def program() -> None:
    """Keep the context window of a language-model agent inside its limit and lose nothing.

    \b
    Examples:
      sostenuto demo
      sostenuto replay session.jsonl --window 32000
      sostenuto replay session.jsonl.gz --keep kept/
      sostenuto recall --keep kept/ m12.0
      sostenuto tokens prompt.txt --model openai:gpt-4o
      sostenuto models openai:gpt-5
      sostenuto run "Which functions here have no test?"
      sostenuto conversations list
      sostenuto context review --compact --dry-run
      sostenuto verify session.jsonl --window 60k

    \b
    sostenuto help COMMAND says how a command is used.
    stdout carries the result only, all else goes to stderr.
    Exit codes: 0 worked, 1 failed, 2 wrong usage.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. `arguments` are those after the program's name (default ``sys.argv``).

    Nothing that a person can cause ends in a traceback.
    """
    with present() as is_there:
        code = _run(arguments)
        if code == 0 and not is_there:
            return _fail(f"{OUTPUT} is closed, so the result could not be printed; redirect it to a file or to /dev/null", code=1)
        return code


def _run(arguments: Sequence[str] | None) -> int:
    """The exit code of one run; every error is told on the way."""
    try:
        if not (sys.argv[1:] if arguments is None else arguments):
            from sostenuto.cli._greeting import greet, is_greeted

            if is_greeted():
                return greet()
        outcome = program.main(args=None if arguments is None else list(arguments), prog_name="sostenuto", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return 2
    except click.UsageError as error:
        return _fail(f"{error.format_message()} (see: {_help_for(error)})", code=2)
    except UnknownSetting as error:
        return _fail(str(error), code=2)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        abandon()
        return 1
    except click.ClickException as error:
        return _fail(error.format_message(), code=1)
    except SostenutoError as error:
        return _fail(str(error), code=1)
    except OSError as error:
        if not error.filename:
            abandon()
        return _fail(_system_error(error), code=1)
    return outcome if isinstance(outcome, int) else 0


def _version(ctx: click.Context, asked: bool) -> None:
    """Print the installed version and stop; a source tree that is not installed has none."""
    if not asked:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"sostenuto {version('sostenuto')}")
    except PackageNotFoundError:
        click.echo("sostenuto (not installed, run from its source)")
    ctx.exit()


def _fail(message: str, *, code: int) -> int:
    say(f"sostenuto: {_one_line(message)}")
    return code


def _one_line(message: str) -> str:
    """A message may quote a provider's answer or a file: nothing in it acts on the terminal."""
    from sostenuto.cli._harmless import printable

    return printable(" ".join(message.split()))


def _system_error(error: OSError) -> str:
    # files are named where they are opened or written; what has no name is what is printed
    return f"{error.filename or OUTPUT}: {reason(error)}; check the path, the permissions and the free space"


def _help_for(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "sostenuto"
    return f"{path} --help"


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1)
    return f", did you mean {near[0]!r}?" if near else ""
