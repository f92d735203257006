"""aclrtMemExportToShareableHandle and its second version: offering physical memory to other processes."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers, covers_each
from suites.memory.virtual.properties import GRANULE, on_host
from suites.memory.virtual.sharing import ANYBODY, EXPORTS, LISTED
from suites.virtual_instance import needs_virtual_instance


@covers_each("ok", *EXPORTS)
def test_export(api, vm, sharing):
    """A fresh handle is exported, and the value that others use is not zero."""
    result = sharing.export(api, vm.handle())
    sharing.expect_offer(result)


@covers_each("ok", *EXPORTS)
def test_exports_differ(api, vm, sharing):
    """Four handles are exported under four different values."""
    results = sharing.exports(api, vm.handles(4))
    sharing.expect_different_offers(results)


@covers_each("repeat", *EXPORTS)
@pytest.mark.parametrize("flags", [ANYBODY, LISTED], ids=["same-flags", "other-flags"])
def test_export_again(api, vm, sharing, flags):
    """Every further export of a handle is refused, and the value of the first one can still be imported."""
    handle = vm.write(vm.handle(), seed=1)
    offer = sharing.offer(api, handle, flags=ANYBODY)
    results = sharing.exports(api, [handle] * 3, flags=flags)
    sharing.expect_none_accepted(results)
    sharing.expect_importable(offer, pattern(GRANULE, 1))


@covers_each("whitelist", *EXPORTS)
def test_import_before_being_listed(api, vm, sharing, expect):
    """A process that is not listed is refused, though other memory is open to everybody; once it is listed,
    the same process gets the memory.
    """
    sharing.offer(api, vm.handle(), flags=ANYBODY)
    offer, other = sharing.offer(api, vm.write(vm.handle(), seed=1)), sharing.process()
    result = other.take(offer)
    expect.refused(result)
    sharing.admit(offer, [other])
    sharing.expect_importable(offer, pattern(GRANULE, 1), by=other)


@covers_each("whitelist", *EXPORTS)
def test_import_while_another_is_listed(api, vm, sharing, expect):
    """A third process is refused when only the second one is listed, before and after that one's import."""
    offer, listed, stranger = sharing.offer(api, vm.handle()), sharing.process(), sharing.process()
    sharing.admit(offer, [listed])
    results = [stranger.take(offer), listed.take(offer), stranger.take(offer)]
    sharing.expect_only_second_accepted(results)


@covers_each("no_whitelist", *EXPORTS)
def test_import_by_anybody(api, vm, sharing):
    """With flags 1 two processes that nobody has listed get the memory."""
    offer = sharing.offer(api, vm.write(vm.handle(), seed=1), flags=ANYBODY)
    sharing.expect_importable(offer, pattern(GRANULE, 1), by=sharing.process())
    sharing.expect_importable(offer, pattern(GRANULE, 1), by=sharing.process())


@covers_each("cross_process_data", *EXPORTS)
def test_data_both_ways(api, vm, sharing):
    """What either process writes to the shared memory is what the other reads."""
    mapping = vm.mapped().write(seed=1)
    offer, other = sharing.offer(api, mapping.handle, flags=ANYBODY), sharing.process()
    result = other.take(offer)
    sharing.expect_shared(result, mapping, other)


@covers_each("cross_process_data", *EXPORTS)
def test_data_written_before_the_import(api, vm, sharing):
    """The bytes that a handle held when it was exported, and those written afterwards, are what others
    read.
    """
    handle = vm.write(vm.handle(), seed=1)
    offer = sharing.offer(api, handle, flags=ANYBODY)
    vm.write(handle, seed=2)
    sharing.expect_importable(offer, pattern(GRANULE, 2))


@covers_each("cross_process_data", *EXPORTS)
def test_each_offer_leads_to_its_memory(api, vm, sharing):
    """Of several exported handles each value leads to the memory of its own handle, of whatever size."""
    offers = sharing.offers_of_sizes(api)
    sharing.expect_each_importable(offers)


@covers_each("cross_device", *EXPORTS, uses=["aclrtDeviceEnablePeerAccess"])
def test_data_between_devices(api, vm, sharing, peer):
    """With peer access enabled in both, processes on two devices read what the other one has written."""
    peer.open()
    mapping = vm.mapped().write(seed=1)
    offer = sharing.offer(api, mapping.handle, flags=ANYBODY)
    other = sharing.process_on(peer.device)
    result = other.take(offer, device=peer.device)
    sharing.expect_shared(result, mapping, other)


@covers_each("virtual_instance", *EXPORTS)
def test_in_a_virtual_instance(api, case, vm, sharing, expect):
    """On a virtualised instance of a device what an export gives is recorded."""
    needs_virtual_instance(case)
    result = sharing.export(api, vm.handle())
    expect.observed(result.call)


@covers_each("compute_group", *EXPORTS)
def test_with_compute_groups(api, vm, sharing, expect):
    """On a device with compute groups what an export gives is recorded."""
    sharing.needs_compute_group()
    result = sharing.export(api, vm.handle())
    expect.observed(result.call)


@covers("mem_export_to_shareable_handle.host_handle")
def test_host_memory(vm, sharing, expect):
    """What exporting host memory gives is recorded."""
    result = sharing.export(EXPORTS[0], vm.handle(properties=on_host()))
    expect.observed(result.call)


@covers("mem_export_to_shareable_handle_v2.fabric_a3")
def test_fabric(vm, sharing):
    """A fabric handle fills 128 bytes and not one more."""
    results = sharing.export_fabric(vm.handle(), fill=0x55), sharing.export_fabric(vm.handle(), fill=0xAA)
    sharing.expect_fabric_filled(results)


@covers("mem_export_to_shareable_handle_v2.fabric_a3")
def test_fabric_data(vm, sharing):
    """Another process that imports a fabric handle shares the memory."""
    mapping = vm.mapped().write(seed=1)
    offer, other = sharing.offer_fabric(mapping.handle), sharing.process()
    result = other.take(offer)
    sharing.expect_shared(result, mapping, other)
