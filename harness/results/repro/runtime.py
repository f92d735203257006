"""What every pyACL program that repeats a trace begins with; it is copied, never imported by the harness."""

import ctypes
import os
import sys

import acl  # type: ignore[import-not-found]

ACL_MEMCPY_DEVICE_TO_HOST = 2


class Area:
    """Memory the calls point into, with what must be in it as far as the calls say."""

    def __init__(self, name: str, base: int, size: int, on_device: bool) -> None:
        self.name, self.base, self.size, self.on_device = name, base, size, on_device
        self.must, self.known = bytearray(size), bytearray(size)
        if not on_device:
            for number in range(size):
                self.must[number] = (number * 37 + (number >> 8) * 11 + len(live)) & 0xFF
            self.known = bytearray(b"\1" * size)
            ctypes.memmove(base, bytes(self.must), size)

    def now(self) -> bytes:
        """What is in it; nothing where the device does not give it."""
        if not self.on_device:
            return ctypes.string_at(self.base, self.size)
        copy = ctypes.create_string_buffer(self.size)
        code = acl.rt.memcpy(
            ctypes.addressof(copy), self.size, self.base, self.size, ACL_MEMCPY_DEVICE_TO_HOST
        )
        return copy.raw if code == 0 else b""


live: list[Area] = []
kept: list[object] = []
other_codes = other_bytes = 0


def own(name: str, place: int, size: int) -> int:
    """Memory of the program itself, so far into its page; its address."""
    buffer = ctypes.create_string_buffer(size + 2 * 4096)
    kept.append(buffer)
    base = -(-ctypes.addressof(buffer) // 4096) * 4096 + place
    live.append(Area(name, base, size, False))
    return base


def take(name: str, base: int, size: int, on_device: bool) -> None:
    """Take memory of the library into account."""
    live.append(Area(name, base, size, on_device))


def area_at(address: int) -> "Area | None":
    """The newest area that holds the address."""
    return next((area for area in reversed(live) if area.base <= address < area.base + area.size), None)


def unknown(address: int) -> None:
    """What is in the area is no longer known."""
    area = area_at(address)
    if area is not None:
        area.known = bytearray(area.size)


def moved(target: int, source: int, count: int) -> None:
    """Bytes have been copied."""
    to, origin = area_at(target), area_at(source)
    if to is None:
        return
    first = target - to.base
    count = min(count, to.size - first)
    if origin is None:
        to.known[first : first + count] = bytes(count)
        return
    start = source - origin.base
    count = min(count, origin.size - start)
    to.must[first : first + count] = origin.must[start : start + count]
    to.known[first : first + count] = origin.known[start : start + count]


def numbered(target: int, value: int) -> None:
    """A number has been written."""
    to = area_at(target)
    if to is not None and target + 8 <= to.base + to.size:
        to.must[target - to.base : target - to.base + 8] = value.to_bytes(8, "little")
        to.known[target - to.base : target - to.base + 8] = b"\1" * 8


def put(place: int, value: int) -> None:
    """Host memory gets a number that a stream waits for."""
    area = area_at(place)
    if area is None or area.on_device or place + 8 > area.base + area.size:
        return
    ctypes.memmove(place, value.to_bytes(8, "little"), 8)
    numbered(place, value)


def moved_rows(target: int, to: int, source: int, origin: int, width: int, rows: int) -> None:
    """Rows of bytes have been copied."""
    for row in range(rows):
        moved(target + row * to, source + row * origin, width)


def filled(target: int, value: int, count: int) -> None:
    """Bytes have been set."""
    to = area_at(target)
    if to is None:
        return
    first = target - to.base
    count = min(count, to.size - first)
    to.must[first : first + count] = bytes([value & 0xFF]) * count
    to.known[first : first + count] = b"\1" * count


def look_into(area: Area) -> None:
    """Compare what is in the memory with what must be."""
    global other_bytes
    now = area.now() if any(area.known) else b""
    wrong = [at for at in range(len(now)) if area.known[at] and now[at] != area.must[at]]
    if wrong:
        at = wrong[0]
        print(
            f"{area.name}: {len(wrong)} of {area.size} bytes are not what they must be, "
            f"the first at +{at}: {now[at]:02x} instead of {area.must[at]:02x}"
        )
        other_bytes = 1


def give_up(base: int) -> None:
    """The area that starts there is looked into for the last time."""
    for area in [area for area in live if area.base == base]:
        look_into(area)
        live.remove(area)


def nothing(*given: object) -> int:
    """A callback that returns at once."""
    return 0


def prepared(function: str, code: int) -> None:
    """What comes before the recorded calls has to succeed."""
    if code != 0:
        print(f"cannot be run here: {function} -> {code}")
        sys.exit(2)


def compare(call: int, function: str, now: int, recorded: int) -> None:
    """Tell a call and whether its code is the recorded one."""
    global other_codes
    print(
        f"{call:3} {function} -> {now}{'' if now == recorded else '   (another one was recorded)'}",
        flush=True,
    )
    other_codes += now != recorded


def conclude(recorded_bytes: bool, wait: bool) -> None:
    """Look into all memory, say whether it shows what was recorded, and end."""
    if wait:
        acl.rt.synchronize_device()
    for area in list(live):
        look_into(area)
    same = other_codes == 0 and (not recorded_bytes or other_bytes)
    print("shows what was recorded" if same else "does not show what was recorded", flush=True)
    os._exit(0 if same else 1)
