"""The conformance tests, a folder for each chapter of the API."""
