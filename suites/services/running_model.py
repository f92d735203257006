"""A small model that is loaded and can be run: what dumps and subscriptions tell of."""

from __future__ import annotations

from harness.plugin import Case, Resources
from suites.models.workbench import Workbench


class RunningModel:
    """The model `identity`, loaded in the current context; unloaded at the end of what took it.

    The case is blocked where the model cannot be had.
    """

    name = "identity"

    def __init__(self, case: Case, resources: Resources) -> None:
        self._workbench = Workbench(case, resources)
        self._run = self._workbench.run_of(self.name)
        self.id = self._run.id

    def run(self) -> None:
        """Run it once, to the end."""
        self._workbench.execute(self._run)
