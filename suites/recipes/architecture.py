"""Valid calls that compare architectures."""

from __future__ import annotations

from suites.recipes import Bench, Call, recipe


@recipe("aclrtCheckArchCompatibility")
def check(bench: Bench) -> Call:
    """The device's own name."""
    return Call({"socVersion": own_name(bench)})


def own_name(bench: Bench) -> bytes:
    """The name of the device; some other where no function tells it."""
    if not bench.case.supports("aclrtGetSocName"):
        return b"Ascend"
    return bytes(bench.case.engine.c.call("aclrtGetSocName").value)
