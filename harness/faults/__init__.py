"""The promises that the reference device can break on demand, and what the suites notice of it.

`data/` says of each fault which rules it breaks and which field defect it stands for; `run_faults`
runs the suites with one fault at a time and compares.
"""

from harness.faults.catalogue import Fault, FaultError, faults_of, load_faults
from harness.faults.runner import FaultResult, run_faults

__all__ = ["Fault", "FaultError", "FaultResult", "faults_of", "load_faults", "run_faults"]
