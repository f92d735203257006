"""Going on with a run that was cut off: which of its cases stand, and which items are done."""

from __future__ import annotations

from dataclasses import dataclass

from harness.device import UsageError
from harness.plugin.settings import Settings
from harness.results import CaseRecord, Header, ResultsError, read_run
from harness.results.reproduce import item_of

# What may differ between two parts of one run: it decides no verdict.
_FREE_OPTIONS = frozenset({"isolate", "case_timeout"})


@dataclass(frozen=True)
class Resumed:
    """The cases that are kept of a run that was cut off."""

    cases: tuple[CaseRecord, ...] = ()

    @property
    def done(self) -> frozenset[str]:
        """The ids of the items that need not run again."""
        return frozenset(item_of(case) for case in self.cases)


def resume(settings: Settings) -> Resumed:
    """What can be kept of the run in the results folder.

    Raises UsageError, one line, where there is none, it has finished, or it was of something else.
    """
    try:
        run = read_run(settings.results)
    except ResultsError as error:
        raise UsageError(f"--resume: {error}") from None
    if run.finished:
        raise UsageError(
            f"--resume: the run in {settings.results} has finished; start a new one without --resume"
        )
    what = _difference(settings, run.header)
    if what:
        raise UsageError(
            f"--resume: the run in {settings.results} was of {what}; start a new one without --resume"
        )
    cases = run.cases
    if cases and item_of(cases[-1]) != cases[-1].id:
        # The rules of one item are written one after the other: the last item may not have all of them.
        last = item_of(cases[-1])
        cases = [case for case in cases if item_of(case) != last]
    return Resumed(tuple(cases))


def _difference(settings: Settings, header: Header) -> str:
    if header.target.sha256 != settings.target.sha256:
        return "another library"
    if header.contract.hash != settings.contract.hash:
        return "another contract"
    before = {name: value for name, value in header.options.items() if name not in _FREE_OPTIONS}
    now = {name: value for name, value in settings.stated().items() if name not in _FREE_OPTIONS}
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return f"other options ({', '.join(changed)})" if changed else ""
