"""The library in the process that runs cases: loaded once, brought to a case's profile, found clean after
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from harness.binding import CSurface, Journal, Library, LibraryError, open_library
from harness.contract import Contract, load
from harness.device.blocks import require
from harness.device.errors import DeviceError
from harness.device.profile import Profile
from harness.device.target import Target

CASE_STARTS = "(a case starts)"
"""What stands in the journal in the place of a function where the calls of a new case begin."""

_SLACK_BYTES = 32 << 20
"""How much device memory may be missing on hardware after a case: drivers keep pools of their own."""

_MEMORY_ATTRIBUTES = ("ACL_HBM_MEM", "ACL_DDR_MEM")


class _Stock(NamedTuple):
    """What is alive by kind, and the free bytes of device memory where the product says."""

    live: Mapping[str, int]
    free: int | None


class _Later:
    """A surface that opens the library when it is first used."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened(), name)


class Engine:
    """The target's library in this process, and the state it is in.

    One process has one engine: a library can be loaded and initialised only once in it.
    """

    def __init__(
        self,
        target: Target,
        contract: Contract | None = None,
        fault: str | None = None,
        seed: int | None = None,
        journal: Path | None = None,
    ) -> None:
        self.target = target
        self.contract = contract if contract is not None else load()
        self._fault = fault
        self._seed = seed
        self._journal = journal
        self._library: Library | None = None
        self._surface: CSurface | None = None
        self._python: Any = None
        self._profile: Profile | None = None
        self._initialised = False
        self._context = 0
        self._stock: _Stock | None = None
        self._memory: str | None = None

    @property
    def journal(self) -> Path | None:
        """Where the library's calls are written down as they are made, where they are."""
        return self._journal

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults the reference device has been given."""
        return tuple(self._fault.split(",")) if self._fault else ()

    @property
    def library(self) -> Library:
        """The library, opened by the first use; DeviceError where that fails."""
        if self._library is None:
            # Before a library can fork: two processes that made the file would cut it off under each other.
            journal = Journal(self._journal) if self._journal is not None else None
            try:
                self._library = open_library(self.target.path, self.contract)
                self._library.recorder.journal = journal
                if self._library.control is not None and self._fault:
                    self._library.control.set_fault(*self.faults)
            except LibraryError as error:
                raise DeviceError(str(error)) from None
        return self._library

    @property
    def c(self) -> CSurface:
        """The C surface, which set-up and clean-up use whatever surface the case uses."""
        library = self.library
        if self._surface is None:
            self._surface = CSurface(library)
        return self._surface

    def surface(self, name: str) -> Any:
        """The surface of that name: `c` or `pyacl`. Its first use opens a library that is not open yet."""
        return self._open_surface(name) if self.loaded else _Later(partial(self._open_surface, name))

    def _open_surface(self, name: str) -> Any:
        if name == "c":
            return self.c
        if self._python is None:
            from harness.pyacl import PyAclSurface, module_for

            self._python = PyAclSurface(module_for(self.library, self.target.hardware), self.library)
        return self._python

    @property
    def loaded(self) -> bool:
        """Whether the library has been opened."""
        return self._library is not None

    @property
    def initialised(self) -> bool:
        """Whether the engine has initialised the library, and nobody has reset it since."""
        return self._initialised

    def configure(self, profile: Profile) -> None:
        """Play the profile without initialising: what a case finds that starts before aclInit.

        A library of one profile only is not even opened: it may read the environment when it is.
        """
        if profile == self._profile and not self._initialised:
            return
        self._leave()
        control = self.library.control if self.target.kind == "reference" else None
        if control is not None:
            try:
                control.configure(profile.spec)
                if self._seed is not None:
                    control.set_seed(self._seed)
            except LibraryError as error:
                raise DeviceError(str(error)) from None
        self._profile = profile

    def enter(self, profile: Profile) -> None:
        """Be initialised as this profile with device 0 set in this thread; DeviceError where that fails."""
        if profile != self._profile or not self._initialised:
            self.configure(profile)
            self._initialise()
        if self._stock is None:
            self._stock = self._take_stock()
        self.library.callback_errors.clear()
        self.begin_trace()

    def _initialise(self) -> None:
        require(self.c.call("aclInit", configPath=None), "initialising the runtime")
        self._initialised = True
        require(self.c.call("aclrtSetDevice", deviceId=0), "setting device 0")
        current = self.c.call("aclrtGetCurrentContext")
        # A library that does not tell its context fails the cases about that, not every other one.
        self._context = int(current.context) if current.ok and not current.unwritten else 0

    def _take_stock(self) -> _Stock:
        control = self.library.control
        return _Stock(control.live_objects() if control is not None else {}, self._free_memory())

    def begin_trace(self) -> None:
        """Forget the calls recorded so far; the journal gets a line that says so."""
        recorder = self.library.recorder
        recorder.clear()
        if recorder.journal is not None:
            recorder.journal.finish(recorder.journal.start(CASE_STARTS, ()), 0)

    def restore_context(self) -> str | None:
        """Make device 0's context current again; what is wrong where the case has destroyed it.

        Nothing is done where the library has not told it.
        """
        if not self._context:
            return None
        current = self.c.call("aclrtGetCurrentContext")
        if current.ok and current.context == self._context:
            return None
        back = self.c.call("aclrtSetCurrentContext", context=self._context)
        if not back.ok:
            return f"the context of device 0 is gone: aclrtSetCurrentContext returned {back.name}"
        return None

    def pending_error(self) -> str | None:
        """What an asynchronous task has left behind, after waiting for the device.

        None too where the product has no call for that: there streams are waited for one by one.
        """
        api = "aclrtSynchronizeDevice"
        if not self._initialised or self._profile is None:
            return None
        if not self.contract.supports(api, self._profile.product, self._profile.form):
            return None
        result = self.c.call(api)
        return None if result.ok else f"an asynchronous error was pending: {api} returned {result.name}"

    def leaks(self) -> list[str]:
        """What is alive now and was not before the case: exact on the reference, within a slack elsewhere."""
        before, now = self._stock, self._take_stock()
        if before is None:
            return []
        more = now.live.items() if now.live is not before.live else ()
        found = [
            f"{name}: {before.live.get(name, 0)} before, {count} after"
            for name, count in more
            if count > before.live.get(name, 0)
        ]
        slack = 0 if self.library.control is not None else _SLACK_BYTES
        if now.free is not None and before.free is not None and before.free - now.free > slack:
            found.append(f"free device memory: {before.free} bytes before, {now.free} after")
        # What is there at the end of one step is what the next one starts from.
        self._stock = now
        return found

    def error_text(self) -> str:
        """What aclGetRecentErrMsg says, or nothing."""
        if not self._initialised or not self.c.has("aclGetRecentErrMsg"):
            return ""
        words = self.c.call("aclGetRecentErrMsg").value
        return words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words or "")

    def reset(self) -> bool:
        """Drop what a case has left behind; False where only a new process can do that."""
        self._initialised, self._profile, self._context = False, None, 0
        self._stock = self._memory = None
        control = self.library.control
        if control is None:
            return False
        try:
            control.reset()
        except LibraryError:
            return False
        return True

    def check_health(self) -> None:
        """A small allocation, a copy there and back, and a synchronise; DeviceError where one of them
        fails.
        """
        import numpy as np

        from harness.device.blocks import Blocks
        from harness.device.pattern import pattern

        self.enter(self.target.profiles[0])
        block = Blocks(self.c).device(4096)
        block.write(pattern(4096, 1))
        if problem := self.pending_error():
            raise DeviceError(problem)
        if not np.array_equal(block.read(), pattern(4096, 1)):
            raise DeviceError("a copy to the device and back gave other bytes")
        block.free()

    def close(self) -> None:
        """Leave the device and finalise, as an orderly program does."""
        if self._library is not None:
            self._leave()

    def _leave(self) -> None:
        if self._initialised:
            self.c.call("aclrtResetDevice", deviceId=0)
            self.c.call("aclFinalize")
        self._initialised, self._profile, self._context = False, None, 0
        self._stock = self._memory = None

    def _free_memory(self) -> int | None:
        """Free bytes of device memory, or None where the product does not say."""
        for attribute in _MEMORY_ATTRIBUTES if self._memory is None else (self._memory,):
            info = self.c.call("aclrtGetMemInfo", attr=attribute)
            if info.ok and not info.unwritten and info.total:
                self._memory = attribute
                return int(info.free)
        return None
