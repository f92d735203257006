"""aclrtValueWrite: a 64-bit value that a stream writes."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.memory.stream.conditions import ONES
from suites.memory.stream.words import PAGE, VALUES


@covers("value_write.ok")
@pytest.mark.parametrize("kind", ["device", "vmm"])
def test_values(words, stream, kind):
    """Each value is written whole at its own place, and nothing round it changes."""
    page = words.page(kind=kind)
    results = words.write(page, VALUES, stream)
    words.expect_written(results, page, VALUES, stream)


@covers("value_write.ok", uses=["aclrtValueWait"])
@deadline(10)
def test_values_on_the_second_device(words, peer):
    """A stream of the second device writes values there, and goes on behind a wait for each."""
    page = words.known(peer.memory(PAGE))
    results = words.write_there(peer, page, VALUES)
    words.expect_written_there(results, page, VALUES)


@covers("value_write.ok")
def test_copy_behind_a_write(words, stream, blocked_stream):
    """A copy that is queued behind a write takes the value that was written."""
    word, target = words.word(1), words.word(2)
    with blocked_stream(stream) as hold:
        result = words.write_in_turn(word, [0xA1B2C3D4E5F60718], stream)
        words.copy(target, word, stream)
        hold.release()
    words.expect_value(result, target, 0xA1B2C3D4E5F60718, stream)


@covers("value_write.ok")
def test_write_behind_a_copy(words, stream, blocked_stream):
    """A write that is queued behind a copy to the same place is what stays."""
    word, source = words.word(1), words.word(2)
    with blocked_stream(stream) as hold:
        words.copy(word, source, stream)
        result = words.write_in_turn(word, [3], stream)
        hold.release()
    words.expect_value(result, word, 3, stream)


@covers("value_write.stream_null")
def test_stream_null(words):
    """On the null stream the value is there once that is synchronised."""
    page = words.page()
    results = words.write(page, VALUES, stream=None)
    words.expect_written(results, page, VALUES, stream=None)


@covers("value_write.stream_null")
@deadline(10)
def test_stream_null_waits_its_turn(words, blocked_stream):
    """A write on the null stream runs behind the work of the default stream."""
    word = words.word(1)
    with blocked_stream(None) as hold:
        results = words.write_in_turn(word, [2], stream=None)
        words.expect_deferred(results, word, 2, hold)


@covers("value_write.async")
@deadline(10)
def test_async(words, stream, blocked_stream):
    """While its stream is held the call returns and nothing is written."""
    word = words.word(1)
    with blocked_stream(stream) as hold:
        results = words.write_in_turn(word, [2], stream)
        words.expect_deferred(results, word, 2, hold)


@covers("value_write.order")
@pytest.mark.parametrize("values", [[1, 2], [2, 1], [ONES, 0], [5, 9, 0, 7, 7, 3]], ids=str)
def test_order(words, stream, values):
    """Of several writes to one place the last one stays."""
    word = words.word(0xFF)
    results = words.write_in_turn(word, values, stream)
    words.expect_value(results, word, values[-1], stream)


@covers("value_write.order")
def test_order_of_many(words, stream):
    """Of a thousand writes to one place the last one stays."""
    word = words.word(0xFF)
    results = words.write_in_turn(word, [n * 7919 % 1000 for n in range(1001)], stream)
    words.expect_value(results, word, 1000 * 7919 % 1000, stream)


@covers("value_write.alignment")
@isolated("a misaligned address may become a failing task")
def test_misaligned_address(acl, words, stream, expect):
    """What a write to an address that is no multiple of 8 gives is recorded; other memory is unharmed."""
    page, other = words.page(), words.page(seed=2)
    result = acl.aclrtValueWrite(devAddr=page.at(4), value=1, flag=0, stream=stream)
    expect.observed(result, corrupted=[other])
    expect.observed(acl.aclrtSynchronizeStream(stream=stream), corrupted=[other])


@covers("value_write.stream_other_context")
def test_stream_of_another_context(acl, words, stream, other_context, expect):
    """A stream is refused while another context of its device is current, and nothing is written."""
    word = words.word(1)
    with other_context.current():
        result = acl.aclrtValueWrite(devAddr=word, value=2, flag=0, stream=stream)
    words.settle(stream)
    expect.refused(result, unchanged=[word])


@covers("value_write.stream_other_context")
def test_stream_of_another_device(acl, words, stream, peer, expect):
    """A stream of device 0 is refused while device 1 is current, and nothing is written."""
    word = words.word(1)
    with peer.current():
        result = acl.aclrtValueWrite(devAddr=word, value=2, flag=0, stream=stream)
    words.settle(stream)
    expect.refused(result, unchanged=[word])
