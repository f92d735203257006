"""Conversions: the arguments of the calls that make them, and what has to come out."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.models.operators import COUNT
from suites.operators.loaded import WITH_HANDLE, Job, LoadedOperators


class Casting:
    """Jobs of conversions, and runs of them."""

    def __init__(self, acl: Any, operators: LoadedOperators) -> None:
        self._acl = acl
        self._operators = operators

    def job(self, type: str, loaded: bool = True) -> Job:
        """A conversion of whole numbers on both sides of 0."""
        name = f"op_cast_{type}"
        job = self._operators.loaded_job(name) if loaded else self._operators.job(name)
        data = np.arange(-(COUNT // 2), COUNT - COUNT // 2, dtype=np.float32)
        job.input_blocks[0].write(data.view(np.uint8))
        return job.changed(expected=tuple(self._operators.models.program(name).compute(data)))

    def arguments(self, job: Job, stream: int | None, truncate: int = 0) -> dict[str, Any]:
        """The arguments of aclopCast."""
        buffers = {"srcBuffer": job.inputs[0], "dstBuffer": job.outputs[0], "stream": stream}
        return {**self.for_handle(job, truncate), **buffers}

    def for_handle(self, job: Job, truncate: int = 0) -> dict[str, Any]:
        """The arguments of aclopCreateHandleForCast."""
        return {"srcDesc": job.input_descs[0], "dstDesc": job.output_descs[0], "truncate": truncate}

    def outcome(self, job: Job, stream: int, truncate: int) -> str:
        """What converting with a value of the reserved argument comes to, in words."""
        job.output_blocks[0].fill(0)
        answer = self._acl.call("aclopCast", **self.arguments(job, stream, truncate))
        return self._told(f"truncate {truncate}: {answer.code}", job, stream)

    def outcome_with_handle(self, job: Job, stream: int, truncate: int) -> str:
        """The same through a handle, which goes."""
        job.output_blocks[0].fill(0)
        made = self._acl.call("aclopCreateHandleForCast", **self.for_handle(job, truncate))
        if made.ok:
            self._acl.call(WITH_HANDLE, handle=made.handle, **job.buffers, stream=stream)
            self._operators.wait(stream)
            self._acl.call("aclopDestroyHandle", handle=made.handle)
        return self._told(f"truncate {truncate}: {made.code}", job, stream)

    def _told(self, text: str, job: Job, stream: int) -> str:
        self._operators.wait(stream)
        return f"{text}, {'the' if job.result() == job.wanted else 'not the'} values converted"
