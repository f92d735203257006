"""aclrtMemSetPidToShareableHandle and its second version: who may import."""

from __future__ import annotations

from harness.device import pattern
from harness.plugin import covers, covers_each, surfaces
from suites.memory.virtual.properties import GRANULE
from suites.memory.virtual.sharing import SET_PIDS


@covers_each("ok", *SET_PIDS)
def test_one_process(api, vm, sharing, expect):
    """The process whose bare id is set can import."""
    offer, other = sharing.offer(api, vm.write(vm.handle(), seed=1)), sharing.process()
    result = sharing.admit(offer, [other])
    expect.success(result)
    sharing.expect_importable(offer, pattern(GRANULE, 1), by=other)


@covers_each("ok", *SET_PIDS)
def test_three_processes(api, vm, sharing, expect):
    """Each of three processes in one list can import."""
    offer = sharing.offer(api, vm.write(vm.handle(), seed=1))
    others = [sharing.process(), sharing.process(), sharing.process()]
    result = sharing.admit(offer, others)
    expect.success(result)
    sharing.expect_importable_by_each(offer, pattern(GRANULE, 1), others)


@covers_each("ok", *SET_PIDS)
def test_end_of_a_long_list(api, vm, sharing, expect):
    """The last of 30 processes in one list can import."""
    offer, other = sharing.offer(api, vm.write(vm.handle(), seed=1)), sharing.process()
    result = sharing.admit(offer, [other], count=30)
    expect.success(result)
    sharing.expect_importable(offer, pattern(GRANULE, 1), by=other)


@covers_each("ok", *SET_PIDS)
@surfaces("c")
def test_list_ends_at_its_count(api, vm, sharing, expect):
    """A process that stands behind the counted part of the list is not let in."""
    offer, listed, behind = sharing.offer(api, vm.handle()), sharing.process(), sharing.process()
    result = sharing.admit(offer, [listed, behind], count=1)
    expect.success(result)
    sharing.expect_only_second_accepted([behind.take(offer), listed.take(offer), behind.take(offer)])


@covers_each("ok", *SET_PIDS)
def test_one_offer_is_not_another(api, vm, sharing, expect):
    """Being let in to one export lets nobody in to another."""
    offer, closed = sharing.offer(api, vm.handle()), sharing.offer(api, vm.handle())
    other = sharing.process()
    result = sharing.admit(offer, [other])
    expect.success(result)
    sharing.expect_only_second_accepted([other.take(closed), other.take(offer), other.take(closed)])


@covers_each("exporter_only", *SET_PIDS)
def test_called_by_the_importer(api, vm, sharing, expect):
    """What the call gives in another process than the exporter's is recorded; the memory is unharmed."""
    mapping = vm.mapped().write(seed=1)
    offer, other = sharing.offer(api, mapping.handle), sharing.process()
    result = sharing.admit(offer, [other], caller=other)
    expect.observed(result, corrupted=[mapping.block])


@covers_each("too_many", *SET_PIDS)
def test_too_many_processes(api, sharing, expect):
    """A list of 65536 processes is refused."""
    offer = sharing.offer_where_possible(api)
    result = sharing.admit(offer, [], count=65536)
    expect.refused(result)


@covers("mem_set_pid_to_shareable_handle_v2.wrong_handle")
def test_value_that_was_not_exported(vm, sharing, expect):
    """A value 12345 above an exported one is refused."""
    offer = sharing.offer(SET_PIDS[1], vm.handle()).shifted(12345)
    result = sharing.admit(offer, [sharing.process()])
    expect.refused(result)
