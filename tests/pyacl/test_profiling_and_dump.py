"""Profiling, subscriptions, dump and models through the drop-in, on the reference device."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import harness.pyacl
from harness.binding import find_reference, open_library
from harness.models import program

MARKERS = 128
PROF_NOT_RUN, REPEAT_SUBSCRIBE, DUMP_NOT_RUN = 100043, 148046, 100045
MODEL_BYTES = 1024


@pytest.fixture
def acl() -> Iterator[ModuleType]:
    """The drop-in on the reference device, initialised, with device 0 set."""
    path = find_reference()
    if path is None or not path.is_file():
        pytest.skip("the reference device is not built")
    library = open_library(path)
    assert library.control is not None
    library.control.configure("product=910b")
    harness.pyacl.use(library)
    assert harness.pyacl.init() == 0
    assert harness.pyacl.rt.set_device(0) == 0
    yield harness.pyacl
    library.control.reset()


class Model:
    """The model `identity`, loaded, with its datasets."""

    def __init__(self, acl: Any) -> None:
        self._acl = acl
        written = program("identity").write()
        self.id, code = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(written), len(written))
        assert code == 0
        self._datasets = [self._dataset(), self._dataset()]

    def run(self) -> None:
        """Run it once."""
        assert self._acl.mdl.execute(self.id, *self._datasets) == 0

    def _dataset(self) -> int:
        address, code = self._acl.rt.malloc(MODEL_BYTES, 0)
        assert code == 0
        dataset: int = self._acl.mdl.create_dataset()
        buffer = self._acl.create_data_buffer(address, MODEL_BYTES)
        assert self._acl.mdl.add_dataset_buffer(dataset, buffer) == (dataset, 0)
        return dataset


@pytest.fixture
def model(acl: ModuleType) -> Model:
    """A loaded model."""
    return Model(acl)


@pytest.fixture
def session(acl: ModuleType, tmp_path: Path) -> int:
    """A collection of device 0 with markers that runs; its configuration."""
    config: int = acl.prof.create_config([0], 0, 0, MARKERS)
    assert acl.prof.init(str(tmp_path)) == 0
    assert acl.prof.start(config) == 0
    return config


def test_a_collection_leaves_its_marks_in_its_folder(acl: ModuleType, session: int, tmp_path: Path) -> None:
    stamp = acl.prof.create_stamp()
    assert acl.prof.set_stamp_trace_message(stamp, "step one", 8) == 0
    assert acl.prof.mark(stamp) == 0
    assert (acl.prof.push(stamp), acl.prof.pop()) == (0, 0)
    number, code = acl.prof.range_start(stamp)
    assert (type(number), code, acl.prof.range_stop(number)) == (int, 0, 0)
    assert acl.prof.destroy_stamp(stamp) is None
    assert (acl.prof.stop(session), acl.prof.finalize()) == (0, 0)
    assert acl.prof.destroy_config(session) == 0
    [marks] = tmp_path.rglob("msproftx.csv")
    assert [line.split(",")[:2] for line in marks.read_text().splitlines()[1:]] == [
        ["mark", "step one"],
        ["push", "step one"],
        ["range", "step one"],
    ]


def test_a_mark_on_a_stream_is_a_text_and_the_stream(acl: ModuleType, session: int) -> None:
    stream, _ = acl.rt.create_stream()
    assert acl.prof.mark_ex("here", stream) == 0
    assert acl.prof.mark_ex("x" * 128, stream) != 0
    assert acl.rt.synchronize_stream(stream) == 0


def test_nothing_is_collected_before_it_is_initialised(acl: ModuleType) -> None:
    config = acl.prof.create_config([0], 0, 0, MARKERS)
    assert [acl.prof.start(config), acl.prof.stop(config), acl.prof.finalize()] == [PROF_NOT_RUN] * 3


@pytest.mark.parametrize("devices", [(0,), None, ["0"]])
def test_devices_are_a_list_of_ints(acl: ModuleType, devices: Any) -> None:
    with pytest.raises(TypeError):
        acl.prof.create_config(devices, 0, 0, MARKERS)


def test_a_configuration_that_cannot_be_is_zero(acl: ModuleType) -> None:
    assert acl.prof.create_config([99], 0, 0, MARKERS) == 0


def test_a_setting_is_a_kind_and_a_text(acl: ModuleType) -> None:
    assert acl.prof.set_config(3, "50") == 0
    assert acl.prof.set_config(3, "fast") != 0
    with pytest.raises(TypeError):
        acl.prof.set_config(3, 50)


def test_a_subscriber_reads_what_the_operators_did(acl: ModuleType, model: Model) -> None:
    reading, writing = os.pipe()
    config = acl.prof.create_subscribe_config(1, 0, writing)
    assert acl.prof.model_subscribe(model.id, config) == 0
    assert acl.prof.model_subscribe(model.id, config) == REPEAT_SUBSCRIBE
    model.run()
    assert acl.prof.model_unsubscribe(model.id) == 0
    records = os.read(reading, 65536)
    given = (acl.util.bytes_to_ptr(records), len(records))
    assert acl.prof.get_op_num(*given) == (1, 0)
    size, code = acl.prof.get_op_desc_size()
    assert (size, code) == (len(records), 0)
    assert acl.prof.get_op_type_len(*given, 0) == (len("Copy") + 1, 0)
    assert acl.prof.get_op_type_v2(*given, 0) == ("Copy", 0)
    assert acl.prof.get_op_name(*given, 0, 64) == ("copy", 0)
    assert acl.prof.get_model_id(*given, 0) == model.id
    start, end = acl.prof.get_op_start(*given, 0), acl.prof.get_op_end(*given, 0)
    assert acl.prof.get_op_duration(*given, 0) == end - start >= 0
    assert acl.prof.destroy_subscribe_config(config) == 0
    os.close(reading)
    os.close(writing)


def test_a_text_of_no_record_is_none_with_a_code(acl: ModuleType) -> None:
    text, code = acl.prof.get_op_name_v2(acl.util.bytes_to_ptr(b"x"), 1, 0)
    assert (text, code != 0) == (None, True)


def test_a_step_is_tagged_once(acl: ModuleType) -> None:
    stream, _ = acl.rt.create_stream()
    step = acl.prof.create_step_info()
    assert acl.prof.get_step_timestamp(step, 0, stream) == 0
    assert acl.prof.get_step_timestamp(step, 0, stream) != 0
    assert acl.prof.destroy_step_info(step) is None


def test_a_dumped_model_leaves_files(acl: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    section = {"dump_path": str(tmp_path / "out"), "dump_list": [{"model_name": "identity"}]}
    file.write_text(json.dumps({"dump": section}), encoding="utf-8")
    assert acl.mdl.set_dump(str(file)) == DUMP_NOT_RUN
    assert (acl.mdl.init_dump(), acl.mdl.set_dump(str(file))) == (0, 0)
    Model(acl).run()
    assert acl.mdl.finalize_dump() == 0
    sizes = [path.stat().st_size for path in (tmp_path / "out").rglob("*.bin")]
    assert sizes == [MODEL_BYTES, MODEL_BYTES]


def test_a_function_gets_what_is_dumped_as_dicts(acl: ModuleType, tmp_path: Path) -> None:
    file, seen = tmp_path / "dump.json", []
    section = {"dump_path": str(tmp_path), "dump_list": [{"model_name": "identity"}], "dump_mode": "output"}
    file.write_text(json.dumps({"dump": section}), encoding="utf-8")
    assert acl.mdl.dump_reg_callback(lambda *given: seen.append(given) or 0, 0) == 0
    assert (acl.mdl.init_dump(), acl.mdl.set_dump(str(file))) == (0, 0)
    Model(acl).run()
    assert acl.mdl.dump_unreg_callback() is None
    [given] = seen
    assert given[0]["buf_len"] == MODEL_BYTES
    assert list(tmp_path.rglob("*.bin")) == []


def test_arguments_of_operators_are_dumped_into_a_folder(acl: ModuleType, tmp_path: Path) -> None:
    assert acl.op.start_dump_args(1, str(tmp_path)) == 0
    assert acl.op.start_dump_args(0, str(tmp_path)) != 0
    assert acl.op.stop_dump_args(1) == 0
