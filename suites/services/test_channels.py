"""Tensor channels."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.services.channels import AT_ONCE_S
from suites.services.names import fresh_name


@covers("tdt_create_channel.only_910_virtual")
def test_plain_channel_elsewhere(acl, expect):
    """On other products a channel without a capacity is not made."""
    expect.refused(acl.acltdtCreateChannel(deviceId=0, name=fresh_name()))


@covers("tdt_create_channel_with_capacity.other_products")
def test_channel_elsewhere(channels, expect):
    """On products without channels none is made."""
    expect.refused(channels.create(fresh_name()))


@covers("tdt_create_channel_with_capacity.name_too_long")
def test_name_too_long(channels, expect):
    """A name of 128 characters is refused, one of 127 is not."""
    expect.success(channels.create(fresh_name(127)))
    expect.refused(channels.create(fresh_name(128)))


@covers("tdt_create_channel_with_capacity.host_tdt_name_pair")
def test_names_tell_channels_apart(channels, expect):
    """What is sent on one channel does not stand in another."""
    one, other = channels.make(), channels.make()
    channels.send(one)
    expect.true("messages in the other channel", channels.size(other), 0)


@covers("tdt_query_channel_size.fresh_zero")
def test_fresh_channel(channels, expect):
    """A new channel is empty."""
    expect.true("messages", channels.size(channels.make()), 0)


@covers("tdt_send_tensor.count_visible")
def test_messages_count(channels, expect):
    """Two datasets that were sent count as two messages."""
    channel = channels.make()
    channels.send(channel, count=2)
    expect.true("messages", channels.size(channel), 2)


@covers("tdt_send_tensor.full_nonblocking")
def test_full_at_once(channels):
    """A full channel refuses at once when it must not wait."""
    channel = channels.make(capacity=3)
    channels.send(channel, count=3)
    channels.expect_late(channels.send_late(channel, timeout=0), 0, AT_ONCE_S)


@covers("tdt_send_tensor.full_timeout")
def test_full_after_a_while(channels):
    """A full channel refuses when the time is over, and not before."""
    channel = channels.make(capacity=3)
    channels.send(channel, count=3)
    channels.expect_late(channels.send_late(channel, timeout=200), 0.2, 2)


@covers("tdt_receive_tensor.empty_nonblocking")
def test_empty_at_once(channels):
    """An empty channel refuses at once when it must not wait."""
    channels.expect_late(channels.receive_late(channels.make(), timeout=0), 0, AT_ONCE_S)


@covers("tdt_receive_tensor.empty_timeout")
def test_empty_after_a_while(channels):
    """An empty channel refuses when the time is over, and not before."""
    channels.expect_late(channels.receive_late(channels.make(), timeout=200), 0.2, 2)


@covers("tdt_receive_tensor.dataset_not_empty")
def test_receive_into_a_full_dataset(acl, tensors, channels, expect):
    """A dataset that holds an item cannot receive."""
    channel = channels.make()
    channels.send(channel)
    expect.refused(acl.acltdtReceiveTensor(handle=channel, dataset=tensors.one(), timeout=1000))


@covers("tdt_receive_tensor.round_trip")
def test_round_trip(tensors, channels):
    """A tensor comes out of a channel as it went in."""
    channel = channels.make()
    channels.send(channel)
    [item] = tensors.items_of(channels.receive(channel), 1)
    tensors.expect_tensor(item, seed=1)


@covers("tdt_clean_channel.empties")
def test_clean(acl, channels, expect):
    """Nothing stands in a channel that was cleaned."""
    channel = channels.make()
    channels.send(channel, count=2)
    expect.success(acl.acltdtCleanChannel(handle=channel))
    expect.true("messages", channels.size(channel), 0)


@covers("tdt_clean_channel.plain_channel")
def test_clean_a_plain_channel(acl, channels, expect):
    """A channel without a capacity cannot be cleaned."""
    expect.refused(acl.acltdtCleanChannel(handle=channels.plain()))


@covers("tdt_query_channel_size.plain_channel")
def test_count_in_a_plain_channel(acl, channels, expect):
    """The messages of a channel without a capacity cannot be counted."""
    expect.refused(acl.acltdtQueryChannelSize(handle=channels.plain()))


@covers("tdt_stop_channel.before_destroy")
def test_stop_and_destroy(acl, channels, expect):
    """A channel is stopped, then destroyed."""
    channel = channels.make()
    expect.success(acl.acltdtStopChannel(handle=channel))
    expect.success(acl.acltdtDestroyChannel(handle=channel))


@covers("tdt_stop_channel.wakes_blocked")
@isolated("a thread that is not woken waits for ever")
def test_stop_wakes(channels, expect):
    """Who waits for a tensor returns when the channel is stopped."""
    expect.success(channels.stop_while_somebody_waits(channels.make()))


@covers("tdt_destroy_channel.capacity_channel_reusable_name")
def test_name_again(channels, expect):
    """The name of a channel that is gone can be used again."""
    name = fresh_name()
    channels.stop_and_destroy(channels.make(name))
    expect.success(channels.create(name))
