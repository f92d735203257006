"""Many loads, loads at the same time, and loads that do not fit."""

from __future__ import annotations

from harness.plugin import covers, deadline, isolated, sequential
from suites.models.load.files import MODEL
from suites.threads import together

CYCLES = 50
THREADS = 8


@covers("load_from_file.many_loads_no_leak")
@deadline(120)
def test_many_cycles(acl, expect, files, workbench):
    """Loading and unloading again and again takes no memory."""
    path = str(files.models.file(MODEL))
    workbench.cycles(acl, path, 5)
    before = workbench.free_memory()
    workbench.cycles(acl, path, CYCLES)
    expect.within("bytes that are missing", before - workbench.free_memory(), 0, workbench.slack)


@covers("load_from_file.concurrent_loads")
def test_at_the_same_time(acl, expect, files, workbench):
    """Threads that load one file at the same time get models of their own, which all compute right."""
    path = str(files.models.file(MODEL))
    results = together(acl, [lambda: acl.aclmdlLoadFromFile(modelPath=path)] * THREADS)
    ids = [workbench.adopt(result.modelId) for result in results if result.ok]
    expect.true("different ids", len(set(ids)), THREADS)
    outcomes = [workbench.outcome(model, MODEL) for model in ids]
    expect.data(b"".join(got for got, _ in outcomes), b"".join(wanted for _, wanted in outcomes))


@covers("load_from_file.memory_exhausted", "load_from_file.founding_memory_estimate")
@isolated("device memory runs out")
@sequential
def test_too_little_memory(acl, expect, files, workbench):
    """A model that does not fit is refused; with memory freed it loads."""
    path = str(files.models.file("large"))
    hoard = workbench.hoard()
    expect.refused(acl.aclmdlLoadFromFile(modelPath=path), rule="load_from_file.memory_exhausted")
    hoard.give_back()
    expect.success(workbench.adopted(acl.aclmdlLoadFromFile(modelPath=path)))


@covers("load_with_config.memory_estimate")
@isolated("device memory runs out")
@sequential
def test_too_little_memory_with_configuration(acl, expect, files, workbench):
    """What a load says that does not fit is recorded; with memory freed it works."""
    handle = workbench.config(type=1, path=str(files.models.file("large")))
    hoard = workbench.hoard()
    expect.observed(workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle)))
    hoard.give_back()
    expect.true("a later load works", workbench.adopted(acl.aclmdlLoadWithConfig(handle=handle)).ok)


@covers("load_from_file.loads_do_not_block_runs")
@deadline(60)
def test_runs_beside_loads(acl, expect, files, workbench):
    """While one thread loads and unloads models, another executes its own, and every result is right."""
    run, path = workbench.run_of(MODEL), str(files.models.file("other_factor"))
    jobs = [lambda: workbench.cycles(acl, path, 200), lambda: workbench.right_results(acl, run, 200)]
    expect.true("right results of both", together(acl, jobs), [200, 200])
