"""The command line `aclcts`: what pytest does not serve."""

from harness.cli.app import main

__all__ = ["main"]
