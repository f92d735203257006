"""Which CANN version a library is of: what its installation says, not what a package counts for itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.device.installation import installed_version

PACKAGE = "Version=7.6.0.1.220\nversion_dir=8.0.0\ntimestamp=20241217\n"


def install(root: Path, files: dict[str, str], library: str = "lib64/libascendcl.so") -> Path:
    """An installation with a library; gives the library."""
    for name, content in {library: "", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root / library


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"version.cfg": "# version: 1.0\nruntime_running_version=[7.6.0.1.220:8.0.0]\n"}, "8.0"),
        ({"version.cfg": "runtime_running_version=[7.2.T11.0.B218:8.0.RC2.alpha001]\n"}, "8.0"),
        ({"version.cfg": "runtime_running_version=[8.2]\n"}, "8.2"),
        ({"runtime/version.info": PACKAGE}, "8.0"),
        ({"runtime/version.info": "Version=8.5.T8.0.B060\nversion_dir=8.5.0.alpha002\n"}, "8.5"),
        ({"share/info/runtime/version.info": "Version=9.0.0\nversion_dir=cann-9.0.0\n"}, "9.0"),
        ({"share/info/runtime/version.info": "Version=9.0.0\n"}, "9.0"),
        (
            {"runtime/version.info": "Version=7.6.0.1\n", "version.cfg": "toolkit=1\nversion_dir=8.0.0\n"},
            "8.0",
        ),
        ({"version.info": "Version=unknown\n"}, ""),
        ({}, ""),
    ],
)
def test_the_version_of_an_installation(files: dict[str, str], version: str, tmp_path: Path) -> None:
    assert installed_version(install(tmp_path, files)) == version


def test_the_runtimes_own_number_beside_the_library_is_not_the_installations(tmp_path: Path) -> None:
    library = install(
        tmp_path,
        {
            "runtime/version.info": "Version=7.6.0.1.220\n",
            "version.cfg": "runtime_running_version=[7.6.0.1.220:8.0.0]\n",
        },
        library="runtime/lib64/libascendcl.so",
    )
    assert installed_version(library) == "8.0"


def test_latest_is_looked_into_as_well_as_where_its_links_lead(tmp_path: Path) -> None:
    install(tmp_path / "8.0.0", {}, library="runtime/lib64/libascendcl.so")
    latest = tmp_path / "latest"
    latest.mkdir()
    (latest / "runtime").symlink_to("../8.0.0/runtime")
    (latest / "version.cfg").write_text("runtime_running_version=[7.6.0.1.220:8.0.0]\n")
    assert installed_version(latest / "runtime/lib64/libascendcl.so") == "8.0"


def test_a_version_file_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    library = install(tmp_path, {"runtime/version.info": PACKAGE})
    (tmp_path / "version.cfg").mkdir()
    assert installed_version(library) == "8.0"
