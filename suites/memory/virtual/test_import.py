"""aclrtMemImportFromShareableHandle and its second version: memory of another process."""

from __future__ import annotations

from harness.device import pattern
from harness.plugin import covers, covers_each, isolated
from suites.memory.virtual.properties import GRANULE, MIB
from suites.memory.virtual.sharing import ANYBODY, IMPORTS


@covers_each("same_process", *IMPORTS)
@isolated("imports what the process itself has exported")
def test_own_export(api, vm, sharing, expect):
    """What importing an export of the same process gives is recorded; the memory is unharmed."""
    mapping = vm.mapped().write(seed=1)
    offer = sharing.offer(api, mapping.handle, flags=ANYBODY)
    vm.outcome_open()
    result = sharing.take(offer)
    expect.observed(result, corrupted=[mapping.block])


@covers_each("after_free", *IMPORTS)
def test_after_the_exporter_has_freed(api, sharing, expect):
    """Memory that the exporter has unmapped and freed cannot be imported any more, while other memory of it
    can.
    """
    exporter = sharing.process()
    gone, kept = sharing.offers_from(exporter, api, seeds=(1, 2))
    exporter.give_up(gone.mapping)
    result = sharing.take(gone)
    expect.refused(result)
    sharing.expect_importable_here(kept, pattern(GRANULE, 2))


@covers_each("after_free", *IMPORTS)
def test_after_the_exporter_has_ended(api, sharing, expect):
    """Memory of a process that has ended cannot be imported any more."""
    exporter = sharing.process()
    (offer,) = sharing.offers_from(exporter, api, seeds=(1,))
    exporter.leave()
    result = sharing.take(offer)
    expect.refused(result)


@covers_each("free_required", *IMPORTS)
def test_importer_frees(api, acl, vm, sharing, expect):
    """The importer unmaps and frees with success; the exporter's memory is as the importer left it."""
    exporter = sharing.process()
    (offer,) = sharing.offers_from(exporter, api, seeds=(1,))
    mapping = sharing.mapped_here(offer).write(seed=2)
    vm.unmap(mapping.ptr)
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    expect.success(result)
    expect.data(offer.mapping.block, pattern(GRANULE, 2), "the exporter's memory")


@covers_each("free_required", *IMPORTS)
def test_importer_frees_while_mapped(api, acl, vm, sharing, expect):
    """Freed while it is mapped, imported memory stays usable until the unmap."""
    exporter = sharing.process()
    (offer,) = sharing.offers_from(exporter, api, seeds=(1,))
    mapping = sharing.mapped_here(offer)
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    expect.success(result)
    vm.expect_usable(mapping.block, holds=pattern(GRANULE, 1))
    vm.unmap(mapping.ptr)


@covers_each("free_required", *IMPORTS)
def test_importer_gives_everything_back(api, acl, vm, sharing, expect):
    """Importing, mapping, unmapping and freeing 64 MiB leaves the free device memory as it was."""
    (offer,) = sharing.offers_from(sharing.process(), api, seeds=(1,), size=64 * MIB)
    before = vm.free_memory()
    mapping = sharing.mapped_here(offer)
    vm.unmap(mapping.ptr)
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    expect.success(result)
    vm.expect_missing(before, 0)


@covers("mem_import_from_shareable_handle.other_device")
def test_for_another_device(sharing, second_device, expect):
    """A handle exported on device 0 is imported for device 1."""
    (offer,) = sharing.offers_from(sharing.process(), IMPORTS[0], seeds=(1,))
    importer = sharing.process_on(second_device)
    result = importer.take(offer, device=second_device)
    expect.success(result)


@covers("mem_import_from_shareable_handle_v2.unknown")
def test_unknown_value(sharing, expect):
    """A value that nobody has exported is refused, and no handle is given."""
    (offer,) = sharing.offers_from(sharing.process(), IMPORTS[1], seeds=(1,))
    result = sharing.take(offer.shifted(0x5DEECE66D))
    expect.refused(result)
    expect.true("the handle was left alone", result.untouched("handle"))


@covers("mem_import_from_shareable_handle_v2.current_device")
def test_for_the_current_device(sharing):
    """The handle belongs to the current device and is mapped and read there."""
    (offer,) = sharing.offers_from(sharing.process(), IMPORTS[1], seeds=(1,))
    result = sharing.take(offer)
    sharing.expect_readable_here(result, pattern(GRANULE, 1))


@covers("mem_import_from_shareable_handle_v2.current_device", uses=["aclrtPointerGetAttributes"])
def test_for_a_second_device_that_is_current(sharing, second_device, expect):
    """In a process whose device is the second one, the handle belongs to that."""
    (offer,) = sharing.offers_from(sharing.process(), IMPORTS[1], seeds=(1,))
    importer = sharing.process_on(second_device)
    result = importer.take(offer)
    expect.success(result)
    expect.true("the device of the memory", importer.device_of(result.handle), second_device)


@covers("mem_import_from_shareable_handle_v2.current_device")
def test_without_a_device(sharing, expect):
    """In a process that has set no device the import is refused."""
    (offer,) = sharing.offers_from(sharing.process(), IMPORTS[1], seeds=(1,))
    result = sharing.process(device=None).take(offer)
    expect.refused(result)
