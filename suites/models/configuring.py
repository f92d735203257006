"""Configurations of loads and runs: where a model comes from, and the memory and queues it works with."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Blocked
from suites.models.ground import Ground

LOAD_FROM_FILE = 1

_FROM_FILE = (1, 2)
_WITH_MEMORY = (2, 4)


class Configuring(Ground):
    """Makes configurations and what they speak of."""

    def config(self, *, type: int | None = None, path: str | None = None) -> int:
        """A load configuration, with what is given."""
        handle = int(self.call("aclmdlCreateConfigHandle").value)
        self._resources.afterwards("aclmdlDestroyConfigHandle", handle=handle)
        if type is not None:
            self.set_config(handle, "ACL_MDL_LOAD_TYPE_SIZET", ctypes.c_size_t(type))
        if path is not None:
            self.set_config(handle, "ACL_MDL_PATH_PTR", ctypes.c_char_p(path.encode()))
        return handle

    def set_config(self, handle: int, attr: str, value: Any) -> None:
        """Set one load option from a ctypes value."""
        size = ctypes.sizeof(value)
        self.call(
            "aclmdlSetConfigOpt", handle=handle, attr=attr, attrValue=ctypes.byref(value), valueSize=size
        )

    def set_path(self, handle: int, file: Path) -> None:
        """Set the path of a configuration."""
        self.set_config(handle, "ACL_MDL_PATH_PTR", ctypes.c_char_p(str(file).encode()))

    def set_passing_path(self, acl: Any, handle: int, file: Path) -> None:
        """Set the path on the surface under test from a text that is overwritten right after the call."""
        text = ctypes.create_string_buffer(str(file).encode())
        if self.case.surface == "c":
            place = ctypes.c_void_p(ctypes.addressof(text))
            given = {"attr": "ACL_MDL_PATH_PTR", "attrValue": ctypes.byref(place), "valueSize": 8}
        else:
            # pyACL is given the text itself and keeps it as it likes.
            value = ctypes.c_char_p(text.value)
            given = {"attr": "ACL_MDL_PATH_PTR", "attrValue": ctypes.byref(value), "valueSize": 8}
        require(acl.call("aclmdlSetConfigOpt", handle=handle, **given), "setting a path")
        ctypes.memset(text, ord("x"), len(text) - 1)

    def set_image(self, handle: int, image: bytes) -> None:
        """Set address and size of a model in host memory."""
        block = self.memory.pageable(len(image)).write(image)
        self.set_config(handle, "ACL_MDL_MEM_ADDR_PTR", ctypes.c_void_p(block.ptr))
        self.set_config(handle, "ACL_MDL_MEM_SIZET", ctypes.c_size_t(len(image)))

    def set_source(self, handle: int, way: int, name: str) -> None:
        """Set what one of the load types 1 to 4 needs."""
        if way in _FROM_FILE:
            self.set_path(handle, self.models.file(name))
        else:
            self.set_image(handle, self.models.image(name))
        if way in _WITH_MEMORY:
            own = self.own_memory(name)
            for kind, place in (("WORKSPACE", "work"), ("WEIGHT", "weight")):
                pointer = ctypes.c_void_p(own[f"{place}Ptr"].ptr)
                self.set_config(handle, f"ACL_MDL_{kind}_ADDR_PTR", pointer)
                self.set_config(handle, f"ACL_MDL_{kind}_SIZET", ctypes.c_size_t(own[f"{place}Size"]))

    def set_queues(self, handle: int, options: Sequence[str]) -> None:
        """Set these options of a configuration to two queues and their counts."""
        queues = self.queues()
        arrays = [(ctypes.c_uint32 * 1)(*queues[name]) for name in ("inputQ", "outputQ")]
        self._resources.at_end(lambda: arrays.clear())
        for option in options:
            array = arrays[int("OUTPUTQ" in option)]
            pointer = ctypes.c_void_p(ctypes.addressof(array))
            self.set_config(handle, option, ctypes.c_size_t(1) if "NUM" in option else pointer)

    def queues(self) -> dict[str, Any]:
        """The arguments of two queues, for a model with one input and one output."""
        ids = []
        for _ in range(2):
            attr = int(self.call("acltdtCreateQueueAttr").value)
            self._resources.afterwards("acltdtDestroyQueueAttr", attr=attr)
            queue = int(self.call("acltdtCreateQueue", attr=attr).qid)
            self._resources.afterwards("acltdtDestroyQueue", qid=queue)
            ids.append(queue)
        return {"inputQ": [ids[0]], "inputQNum": 1, "outputQ": [ids[1]], "outputQNum": 1}

    def own_memory(self, name: str) -> dict[str, Any]:
        """Work and weight memory of the sizes that the library tells, as the arguments of a load.

        Blocked for a model that needs none of either.
        """
        file = str(self.models.file(name))
        sizes = self.call("aclmdlQuerySize", fileName=file)
        if not sizes.workSize or not sizes.weightSize:
            raise Blocked(f"{name} needs no work memory or no weights here")
        work, weight = self.memory.device(sizes.workSize), self.memory.device(sizes.weightSize)
        sized = {"workSize": sizes.workSize, "weightSize": sizes.weightSize}
        return {"workPtr": work, "weightPtr": weight, **sized}

    def in_own_memory(self, name: str) -> dict[str, Any]:
        """The arguments of a load from a file into memory of the caller."""
        return {"modelPath": str(self.models.file(name)), **self.own_memory(name)}

    def can_write(self, given: dict[str, Any]) -> bool:
        """Whether work and weight memory still take and keep what the caller writes."""
        blocks = (given["workPtr"], given["weightPtr"])
        return all(bool((block.fill(0x3C).read() == 0x3C).all()) for block in blocks)

    def execution_config(self) -> int:
        """An execution configuration without settings."""
        handle = int(self.call("aclmdlCreateExecConfigHandle").value)
        self._resources.afterwards("aclmdlDestroyExecConfigHandle", handle=handle)
        return handle
