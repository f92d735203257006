"""Advice about managed memory, the attributes that tell of it, and claims about both."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from harness.plugin import Block, Case, Expect, Memory
from suites.memory.unified.managed import Managed, view
from suites.memory.unified.places import (
    ACCESSED_BY,
    DEVICE,
    HOST,
    HOST_PLACE,
    INVALID,
    NO_PLACE,
    PREFERRED,
    PREFERRED_ID,
    PREFERRED_TYPE,
    READ_MOSTLY,
    STEP,
    Place,
)

ONE, SEVERAL = "aclrtMemManagedGetAttr", "aclrtMemManagedGetAttrs"
BOTH = (ONE, SEVERAL)
"""The functions that tell attributes."""

_ADVISE = "aclrtMemManagedAdvise"
_WIDTH = 4
"""Bytes of a number among the attributes."""

LIST_LENGTH = 16
"""Entries that are asked for of a list of places."""

_ALL = {READ_MOSTLY: 1, PREFERRED: 1, ACCESSED_BY: LIST_LENGTH, PREFERRED_TYPE: 1, PREFERRED_ID: 1}
"""Attributes that are asked for together, and how many numbers each of them has."""


class Advice:
    """Advises and asks on the surface under test, and judges the answers."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, managed: Managed) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._managed = managed

    # Calls

    def give(self, block: Block, name: str, place: Place, offset: int = 0, size: int | None = None) -> Any:
        """The answer to advice about a block or a part of it, by the name behind ACL_MEM_ADVISE_."""
        length = block.size - offset if size is None else size
        advise = f"ACL_MEM_ADVISE_{name}"
        return self._acl.call(_ADVISE, ptr=block.at(offset), size=length, advise=advise, location=place)

    def given(self, block: Block, *advice: tuple[str, Place]) -> Block:
        """The block after advice that must have been taken."""
        for name, place in advice:
            self._expect.success(self.give(block, name, place))
        return block

    def given_in_halves(self, block: Block, name: str, place: Place) -> None:
        """Give the same advice about each 2 MiB of a block; all of it must have been taken."""
        self.given_but_for(block.size, block, name, place)

    def given_but_for(self, gap: int, block: Block, name: str, place: Place) -> None:
        """Give the same advice about each 2 MiB of a block but those at one offset; all must be taken."""
        for offset in range(0, block.size, STEP):
            if offset != gap:
                self._expect.success(self.give(block, name, place, offset, STEP))

    def read_by_device(self, block: Block) -> Block:
        """The block after device 0 has read all of it."""
        self._managed.device_reads(block)
        return block

    def ask(self, api: str, attribute: str, block: Block, length: int = 1) -> tuple[Any, list[int]]:
        """The answer to asking for one attribute of a whole block, and the numbers that it gave."""
        result, (found,) = self._asked(api, {attribute: length}, block)
        return result, found

    def ask_together(self, block: Block) -> tuple[Any, list[list[int]]]:
        """The answer to asking for all attributes in one call, and the numbers of each."""
        return self._asked(SEVERAL, _ALL, block)

    def ask_alone(self, block: Block) -> list[list[int]]:
        """The numbers of the same attributes, asked for one by one."""
        answers = [self.ask(ONE, attribute, block, length) for attribute, length in _ALL.items()]
        return [self._told(*answer) for answer in answers]

    def _asked(self, api: str, wanted: Mapping[str, int], block: Block) -> tuple[Any, list[list[int]]]:
        rooms = [self._memory.pageable(length * _WIDTH).fill(0x77) for length in wanted.values()]
        sizes = [room.size for room in rooms]
        args: dict[str, Any] = {"ptr": block.ptr, "size": block.size}
        if api == ONE:
            args |= {"attribute": next(iter(wanted)), "data": rooms[0], "dataSize": sizes[0]}
        else:
            args |= {"attributes": [*wanted], "numAttributes": len(wanted)}
            args |= {"data": [room.ptr for room in rooms], "dataSizes": sizes}
        result = self._acl.call(api, **args)
        return result, [list(struct.unpack(f"<{room.size // _WIDTH}i", room.read())) for room in rooms]

    # Claims

    def expect_attributes(self, api: str, block: Block, wanted: Mapping[str, Sequence[int]]) -> None:
        """Each of these attributes of a whole block has the wanted numbers."""
        for attribute, numbers in wanted.items():
            answer = self.ask(api, attribute, block, len(numbers))
            self._expect.true(f"{attribute} of {block!r}", self._told(*answer), list(numbers))

    def expect_read_mostly(self, block: Block, value: int, api: str = ONE) -> None:
        """Whether the block is told to be read mostly."""
        self.expect_attributes(api, block, {READ_MOSTLY: [value]})

    def expect_preferred(self, block: Block, kind: str, api: str = ONE, *, device: int = 0) -> None:
        """The place that the block prefers: of this kind, and this device where it is one."""
        number = {DEVICE: device, HOST: HOST_PLACE, INVALID: NO_PLACE}[kind]
        wanted = {PREFERRED: [number], PREFERRED_TYPE: [self._case.contract.value(kind)]}
        self.expect_attributes(api, block, wanted | ({PREFERRED_ID: [device]} if kind == DEVICE else {}))

    def expect_accessed_by(self, block: Block, *devices: int, api: str = ONE) -> None:
        """The list of the places that access the block, and nothing but -2 in the rest of it."""
        numbers = self._told(*self.ask(api, ACCESSED_BY, block, LIST_LENGTH))
        rest = [NO_PLACE] * (LIST_LENGTH - len(devices))
        self._expect.true("the places that access the block", sorted(numbers), sorted([*devices, *rest]))

    def expect_nothing_told(self, block: Block, api: str) -> None:
        """The block has no property at all."""
        self.expect_read_mostly(block, 0, api)
        self.expect_preferred(block, INVALID, api)
        self.expect_accessed_by(block, api=api)

    def expect_withdrawn(self, result: Any, block: Block) -> None:
        """The advice was taken; the block is not told to be read mostly, and both sides see its bytes."""
        self._expect.success(result)
        self.expect_read_mostly(block, 0)
        self._managed.expect_both_see(block)

    def expect_place_taken(self, result: Any, block: Block, kind: str, device: int = 0) -> None:
        """The advice was taken, and the block prefers a place of this kind."""
        self._expect.success(result)
        self.expect_preferred(block, kind, device=device)

    def expect_withdrawn_in_part(self, result: Any, block: Block, offset: int) -> None:
        """The advice was taken for 2 MiB of a block: only the others are told to be read mostly."""
        self._expect.success(result)
        for start in range(0, block.size, STEP):
            self.expect_read_mostly(view(block.at(start), STEP), int(start != offset))
        self._managed.expect_both_see(block)

    def expect_place_withdrawn_in_part(self, result: Any, block: Block, offset: int) -> None:
        """The advice was taken for 2 MiB of a block: only the others prefer device 0."""
        self._expect.success(result)
        for start in range(0, block.size, STEP):
            self.expect_preferred(view(block.at(start), STEP), INVALID if start == offset else DEVICE)

    def expect_place_refused(self, result: Any, block: Block) -> None:
        """The advice was refused, and the block prefers no place."""
        self._expect.refused(result)
        self.expect_preferred(block, INVALID)

    def expect_together(self, result: Any, block: Block, found: Sequence[Sequence[int]]) -> None:
        """The call for several attributes gave what calls for one each give."""
        self._expect.success(result)
        self._expect.true("the numbers of all attributes", found, self.ask_alone(block))

    def expect_one_of(self, result: Any, found: Sequence[int], devices: Sequence[int]) -> None:
        """The call succeeded, and the list it gave holds nothing but these devices."""
        self._expect.success(result)
        self._expect.true("entries that are none of the devices", set(found) - set(devices), set())

    def _told(self, result: Any, numbers: list[int]) -> list[int]:
        self._expect.success(result)
        return numbers
