"""Paths of models: which lead to one, and which are refused."""

from __future__ import annotations

import os

import pytest

from harness.plugin import covers, covers_each
from suites.models.load.files import FILE_APIS


@covers_each("path_missing_file", *FILE_APIS)
def test_missing_file(api, acl, expect, files):
    """A path to a file that does not exist is refused."""
    expect.refused(acl.call(api, **files.at(api, files.missing())))


@covers_each("path_empty", *FILE_APIS)
def test_empty_path(api, acl, expect, files):
    """An empty path is refused."""
    expect.refused(acl.call(api, **files.at(api, "")))


@covers_each("path_too_long", *FILE_APIS)
def test_long_path(api, acl, expect, files):
    """A path longer than the platform's bound is refused."""
    expect.refused(acl.call(api, **files.at(api, "m" * 5000)))


@covers_each("path_is_directory", *FILE_APIS)
def test_folder(api, acl, expect, files):
    """A folder is no model."""
    expect.refused(acl.call(api, **files.at(api, files.models.folder())))


@covers("load_from_file.path_unreadable", "load_from_file.founding_path_permission")
def test_unreadable(acl, expect, files, ordinary_user):
    """A file that the user may not read is refused."""
    expect.refused(acl.aclmdlLoadFromFile(modelPath=str(files.unreadable())))


@covers("load_from_file_with_mem.founding_path_permission")
def test_unreadable_with_memory(acl, expect, files, ordinary_user):
    """A file that the user may not read is refused by the call that takes memory as well."""
    expect.refused(acl.aclmdlLoadFromFileWithMem(**files.at("aclmdlLoadFromFileWithMem", files.unreadable())))


@covers("load_from_file.path_relative_accepted")
def test_relative_path(acl, expect, files, workbench, monkeypatch):
    """A path is looked up from the working folder."""
    monkeypatch.chdir(files.renamed("here.om").parent)
    expect.success(workbench.adopted(acl.aclmdlLoadFromFile(modelPath="here.om")))


@covers("load_from_file.path_symlink_accepted")
def test_symbolic_link(acl, expect, files, workbench):
    """A symbolic link is followed."""
    expect.success(workbench.adopted(acl.aclmdlLoadFromFile(modelPath=str(files.linked()))))


@covers("load_from_file.path_illegal_characters")
@pytest.mark.parametrize("name", ["a`b.om", "a;b.om"])
def test_illegal_characters(acl, expect, files, name):
    """Characters that a shell takes for more are refused in the path of a static model."""
    expect.refused(acl.aclmdlLoadFromFile(modelPath=str(files.renamed(name))))


@pytest.fixture
def ordinary_user(case):
    """The calling user is not root, whom no permission stops."""
    if os.geteuid() == 0:
        case.expect.blocked("root may read everything")
