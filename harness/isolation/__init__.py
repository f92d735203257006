"""Running cases in child processes, so that whatever a library does, the run goes on.

Knows nothing of tests: a `Work` says what the children do with a task.
"""

from harness.isolation.nursery import Companion, Nursery, NurseryError
from harness.isolation.supervisor import ChildDied, Death, Supervisor, ask_child
from harness.isolation.zygote import COLLECT_LESS_OFTEN, Work

__all__ = [
    "COLLECT_LESS_OFTEN",
    "ChildDied",
    "Companion",
    "Death",
    "Nursery",
    "NurseryError",
    "Supervisor",
    "Work",
    "ask_child",
]
