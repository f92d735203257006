"""Several supervisors in one process: each ends by itself, whatever the others do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.isolation import Supervisor


class Echo:
    """Gives each task back."""

    def prepare(self) -> None: ...

    def start(self, journal: Path) -> None: ...

    def run(self, task: Any) -> Any:
        return task

    def finish(self) -> None: ...


@pytest.mark.parametrize("backwards", [False, True])
def test_supervisors_end_in_any_order(backwards: bool) -> None:
    supervisors = [Supervisor(Echo()) for _ in range(3)]
    assert [each.run(number, 10) for number, each in enumerate(supervisors)] == [0, 1, 2]
    first, *others = reversed(supervisors) if backwards else supervisors
    first.close()
    assert [each.run("still there", 10) for each in others] == ["still there"] * 2
    for each in others:
        each.close()
