"""aclrtHostMemMapCapabilities: which accelerators can reach host memory."""

from __future__ import annotations

from harness.plugin import covers


@covers("host_mem_map_capabilities.values")
def test_values(capabilities):
    """For every accelerator the answer is supported or not supported, or the question is not."""
    answers = capabilities.ask_for_all(device=0)
    capabilities.expect_yes_or_no(answers)
