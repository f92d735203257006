"""Running cases in child processes, so that whatever a library does, the run goes on.

Knows nothing of tests: a `Work` says what the children do with a task.
"""

from harness.isolation.supervisor import ChildDied, Death, Supervisor, ask_child
from harness.isolation.zygote import Work

__all__ = ["ChildDied", "Death", "Supervisor", "Work", "ask_child"]
