"""Whether code for one architecture runs on another."""

from __future__ import annotations

from harness.plugin import covers


@covers("check_arch_compatibility.own_soc", uses=("aclrtGetSocName",))
def test_own_name(acl, expect):
    """The device's own name is compatible."""
    name = acl.aclrtGetSocName().value
    result = expect.success(acl.aclrtCheckArchCompatibility(socVersion=name))
    expect.true("whether it is compatible", result.canCompatible, 1)


@covers("check_arch_compatibility.unknown")
def test_unknown_name(acl, expect):
    """What an unknown name gives is recorded; it is not compatible."""
    result = acl.aclrtCheckArchCompatibility(socVersion="NoSuchSoc")
    expect.observed(result)
    expect.true("whether it is taken for compatible", result.ok and result.canCompatible != 0, False)
