"""The promises that the reference device can break on demand, and what the suites notice of it.

`data/` says of each fault which rules it breaks and which field defect it stands for; `run_faults`
collects the suites once, runs them with one fault at a time, and compares.
"""

from harness.faults.catalogue import (
    Fault,
    FaultError,
    FieldDefect,
    faults_of,
    load_faults,
    load_field_defects,
)
from harness.faults.runner import Evidence, FaultResult, Width, run_faults

__all__ = [
    "Evidence",
    "Fault",
    "FaultError",
    "FaultResult",
    "FieldDefect",
    "Width",
    "faults_of",
    "load_faults",
    "load_field_defects",
    "run_faults",
]
