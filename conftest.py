"""Everything the suites need comes from the harness's pytest plugin."""

pytest_plugins = ["harness.plugin"]
