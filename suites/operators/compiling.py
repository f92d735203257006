"""Operators that are compiled online: jobs of sizes that nobody has loaded, and the calls for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness.models.operators import MOST
from suites.operators.loaded import Job, LoadedOperators

HOW: Mapping[str, Any] = {"engineType": "ACL_ENGINE_SYS", "compileFlag": "ACL_COMPILE_SYS", "opPath": None}
"""The only way in which operators are compiled."""

RANGE = (3, 15)
"""Least and most elements of an operator that is compiled for a range; no operator is loaded for either."""

_sizes = itertools.count(MOST + 1)


class Compiling:
    """Makes jobs for operators that are compiled, and calls with them."""

    def __init__(self, acl: Any, operators: LoadedOperators) -> None:
        self._acl = acl
        self._operators = operators

    def job(self, name: str = "op_add") -> Job:
        """A job of a size that is new in this process: nobody has loaded or compiled it."""
        first, *_ = self._operators.models.program(name).inputs
        return self._operators.job(name, dims=(next(_sizes),) * len(first.dims))

    def constant_job(self) -> Job:
        """A job of such a size whose second input is a constant."""
        job = self.job()
        self._operators.set_constant(job, 1, job.input_blocks[1].read())
        return job

    def pair(self) -> tuple[Job, Job]:
        """Two jobs of one such operator, on data and memory of their own."""
        size = (next(_sizes),)
        return self._operators.job("op_add", dims=size), self._operators.job("op_add", seed=7, dims=size)

    def only(self, job: Job) -> dict[str, Any]:
        """The arguments of a call that compiles a job's operator."""
        return {**job.described, "attr": job.attributes, **HOW}

    def arguments(self, job: Job, stream: int | None) -> dict[str, Any]:
        """The arguments of a call that compiles a job's operator and executes it."""
        return {**job.on(stream), **HOW}

    def for_range(self, job: Job) -> dict[str, Any]:
        """The arguments of a call that compiles a job's operator for every length of a range."""
        return {**self.only(job), **self._open(job, RANGE)}

    def without_range(self, job: Job) -> dict[str, Any]:
        """The same for any length."""
        return {**self.only(job), **self._open(job, None)}

    def _open(self, job: Job, bounds: tuple[int, int] | None) -> dict[str, Any]:
        inputs = [self._operators.open_desc(bounds) for _ in job.input_descs]
        return {"inputDesc": inputs, "outputDesc": [self._operators.open_desc(bounds)]}

    def right_results(self, api: str, job: Job, stream: int, count: int) -> int:
        """Compile and execute a job so many times; how many times the outputs were right."""
        return self._operators.right_results(self._acl, api, self.arguments(job, stream), job, count)

    def workers(self, api: str, count: int, rounds: int) -> list[Callable[[], int]]:
        """For so many threads a job each on a stream of its own: compiles and executes it, and tells how
        often it was right.
        """
        jobs = [self.job() for _ in range(count)]
        streams = [self._operators.stream() for _ in jobs]
        return [
            partial(self.right_results, api, job, on, rounds) for job, on in zip(jobs, streams, strict=True)
        ]
