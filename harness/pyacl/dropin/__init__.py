"""A folder for PYTHONPATH: `import acl` in any Python process then finds the drop-in."""
