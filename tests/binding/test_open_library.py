"""Opening a library, and the one line about a target that cannot be opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.binding import AbsentFunction, Library, LibraryError, open_library
from harness.contract import ContractError, load

Compile = Callable[[str, Path], Path]


def refusal(target: Path | str) -> str:
    """The one line that opening a target is refused with."""
    with pytest.raises(LibraryError) as caught:
        open_library(target)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_file_is_opened(fake_path: Path) -> None:
    library = open_library(fake_path)
    assert library.path == fake_path
    assert library.exports("aclrtMalloc")


def test_a_text_path_is_opened(fake_path: Path) -> None:
    assert open_library(str(fake_path)).path == fake_path


def test_a_folder_with_the_library_is_opened(fake_path: Path) -> None:
    assert open_library(fake_path.parent).path == fake_path


def test_a_toolkit_folder_is_opened(fake_path: Path, tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    copy = shutil.copy(fake_path, tmp_path / "lib64" / "libascendcl.so")
    assert open_library(tmp_path).path == Path(copy)


def test_a_bare_name_is_looked_for_in_the_library_path(
    fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{fake_path.parent}")
    assert open_library("libascendcl.so").path == fake_path


def test_a_bare_name_is_looked_for_in_the_toolkit(
    fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib64").mkdir()
    shutil.copy(fake_path, tmp_path / "lib64")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    assert open_library("libascendcl.so").path == tmp_path / "lib64" / "libascendcl.so"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.so") == f"{tmp_path / 'none.so'}: no such file"


def test_a_folder_without_the_library_is_refused(tmp_path: Path) -> None:
    assert "a folder without libascendcl.so" in refusal(tmp_path)


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "libascendcl.so").write_text("INPUT(libother.so)")
    assert refusal(tmp_path / "libascendcl.so").endswith("not an ELF shared library")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.so").touch()
    assert refusal(tmp_path / "empty.so").endswith("not an ELF shared library")


def test_a_device_file_is_refused() -> None:
    assert refusal("/dev/null") == "/dev/null: not a file"


def test_another_architecture_is_named(fake_path: Path, tmp_path: Path) -> None:
    data = bytearray(fake_path.read_bytes())
    foreign = 183 if data[18] != 183 else 62
    data[18] = foreign
    (tmp_path / "foreign.so").write_bytes(data)
    message = refusal(tmp_path / "foreign.so")
    assert message.index("AArch64" if foreign == 183 else "x86-64") < message.index("this Python runs on")


def test_a_32_bit_library_is_refused(fake_path: Path, tmp_path: Path) -> None:
    data = bytearray(fake_path.read_bytes())
    data[4] = 1
    (tmp_path / "narrow.so").write_bytes(data)
    assert "(32 bit), this Python runs on" in refusal(tmp_path / "narrow.so")


def test_an_object_file_is_refused(fake_path: Path, tmp_path: Path) -> None:
    data = bytearray(fake_path.read_bytes())
    data[16] = 1
    (tmp_path / "object.o").write_bytes(data)
    assert refusal(tmp_path / "object.o").endswith("an ELF file, but not a shared library")


def test_a_cut_library_is_refused(fake_path: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.so").write_bytes(fake_path.read_bytes()[:5000])
    assert refusal(tmp_path / "cut.so").startswith(f"{tmp_path / 'cut.so'}: cut short: 5000 bytes")


def test_a_library_cut_in_its_headers_is_refused(fake_path: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.so").write_bytes(fake_path.read_bytes()[:200])
    assert "cut short: 200 bytes" in refusal(tmp_path / "cut.so")


def test_unresolved_symbols_are_named(compile_c: Compile, tmp_path: Path) -> None:
    path = compile_c(
        "int missing_one(void); int aclInit(const char *p) { return missing_one(); }", tmp_path / "u.so"
    )
    assert "missing_one" in refusal(path)


def test_a_library_without_acl_functions_is_refused(compile_c: Compile, tmp_path: Path) -> None:
    path = compile_c("int answer(void) { return 42; }", tmp_path / "other.so")
    assert refusal(path) == f"{path}: not an ACL library: it exports none of ACL's functions"


def test_an_unreadable_file_is_refused() -> None:
    assert refusal("/proc/self/mem") == "/proc/self/mem: cannot be read: Input/output error"


def test_an_impossible_path_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)).endswith("cannot be read: File name too long")


def test_documented_functions_that_are_missing_are_listed(library: Library) -> None:
    assert "aclrtMemcpy" not in library.absent
    assert "aclrtMemcpyAsync" in library.absent


def test_an_absent_function_is_named_when_asked_for(library: Library) -> None:
    with pytest.raises(AbsentFunction, match="does not export aclrtMemcpyAsync") as caught:
        library.raw("aclrtMemcpyAsync")
    assert caught.value.function == "aclrtMemcpyAsync"


def test_a_function_outside_the_contract_is_refused(library: Library) -> None:
    with pytest.raises(ContractError, match="no such function: malloc"):
        library.raw("malloc")


def test_a_split_library_beside_the_main_one_is_used(
    fake_path: Path, tmp_path: Path, compile_c: Compile
) -> None:
    main = Path(shutil.copy(fake_path, tmp_path / "libascendcl.so"))
    compile_c("int aclmdlUnload(unsigned id) { return id == 7 ? 0 : 100000; }", tmp_path / "libacl_mdl.so")
    library = open_library(main)
    assert library.files == (main, tmp_path / "libacl_mdl.so")
    assert library.raw("aclmdlUnload")(7) == 0


def test_a_broken_split_library_only_makes_its_functions_absent(fake_path: Path, tmp_path: Path) -> None:
    main = Path(shutil.copy(fake_path, tmp_path / "libascendcl.so"))
    (tmp_path / "libacl_mdl.so").write_text("broken")
    library = open_library(main)
    assert "aclmdlUnload" in library.absent
    assert library.raw("aclrtSynchronizeDevice")() == 0
    with pytest.raises(AbsentFunction, match="not an ELF shared library"):
        library.raw("aclmdlUnload")


def test_every_function_and_callback_of_the_contract_has_a_signature(library: Library) -> None:
    contract = load()
    infos = [info for name in contract.functions for _, info in library.params(name)]
    made = [library.ctype(info.text) for info in infos if info.category != "variadic"]
    callbacks = [
        library.types.callback(info) for info in infos if info.category == "callback" and not info.depth
    ]
    assert len(made) > 1900
    assert len(callbacks) > 15
