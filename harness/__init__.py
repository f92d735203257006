"""Conformance and benchmark harness for the AscendCL runtime."""

__version__ = "0.1.0"
