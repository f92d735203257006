"""aclrtValueWait: a stream that goes on when a word in device memory is as asked for."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline
from suites.memory.stream.conditions import (
    AND,
    ANY_BIT,
    ANY_GAP,
    AT_LEAST,
    BY_ONE_HALF,
    EQ,
    EQUAL,
    GEQ,
    NOR,
    SHARED,
)


@covers("value_wait.mode_geq")
def test_geq(words):
    """A stream goes on while the difference with a sign is 0 or more, and when it becomes so."""
    result = words.queue(GEQ, AT_LEAST)
    words.expect_gone_on(result)


@covers("value_wait.mode_eq")
def test_eq(words):
    """A stream goes on while word and value are equal, and when they become so."""
    result = words.queue(EQ, EQUAL)
    words.expect_gone_on(result)


@covers("value_wait.mode_and")
def test_and(words):
    """A stream goes on while word and value have a bit in common, and when they come to."""
    result = words.queue(AND, ANY_BIT)
    words.expect_gone_on(result)


@covers("value_wait.mode_nor")
def test_nor(words):
    """A stream goes on while there is a bit that neither word nor value has, and when there comes to be."""
    result = words.queue(NOR, ANY_GAP)
    words.expect_gone_on(result)


@covers("value_wait.full_64bit")
@pytest.mark.parametrize("mode", [GEQ, EQ, AND, NOR], ids=["geq", "eq", "and", "nor"])
def test_each_half(words, mode):
    """Words that differ in one half of their bits only are told apart in every mode."""
    result = words.queue(mode, BY_ONE_HALF[mode])
    words.expect_gone_on(result)


@covers("value_wait.mode_eq")
def test_passing_values(words):
    """A stream that waits for a number stays where it is while the word takes others."""
    result = words.queue_one(EQ, memory=1, value=8)
    words.expect_held_through(result, [7, 9, 0], then=8)


@covers("value_wait.mode_geq")
@pytest.mark.parametrize("kind", ["device", "vmm"])
def test_counting_up(words, kind):
    """A stream that waits for a count stays where it is until that is reached, whatever memory it is in."""
    result = words.queue_one(GEQ, memory=0, value=4, kind=kind)
    words.expect_held_through(result, [1, 2, 3], then=5)


@covers("value_wait.mode_eq")
def test_several_streams_on_one_word(words, stream):
    """One write lets all streams go on that wait for it."""
    word = words.word(0)
    results = words.wait_on_streams(word, 3, EQ, streams=4)
    words.expect_released_together(results, word, 3, stream)


@covers("value_wait.mode_geq")
def test_geq_on_a_shared_word(words):
    """Streams that wait on one word for different counts go on each with its own."""
    results = words.wait_on_one_word(GEQ, SHARED[GEQ])
    words.expect_released_one_by_one(results, SHARED[GEQ])


@covers("value_wait.mode_eq")
def test_eq_on_a_shared_word(words):
    """Streams that wait on one word for different numbers go on each with its own."""
    results = words.wait_on_one_word(EQ, SHARED[EQ])
    words.expect_released_one_by_one(results, SHARED[EQ])


@covers("value_wait.mode_and")
def test_and_on_a_shared_word(words):
    """Streams that wait on one word for different bits go on each with its own."""
    results = words.wait_on_one_word(AND, SHARED[AND])
    words.expect_released_one_by_one(results, SHARED[AND])


@covers("value_wait.mode_nor")
def test_nor_on_a_shared_word(words):
    """Streams that wait on one word for the lack of different bits go on each with its own."""
    results = words.wait_on_one_word(NOR, SHARED[NOR])
    words.expect_released_one_by_one(results, SHARED[NOR])


@covers("value_wait.mode_geq")
def test_chain_of_streams(words):
    """Eight streams, each waiting for what the one before writes, go on one after the other."""
    word = words.word(0)
    results = words.chain(word, GEQ, range(1, 9))
    words.expect_chain(results, word, first=1, last=9)


@covers("value_wait.mode_eq")
def test_two_waits_on_one_stream(words, stream):
    """A stream stops at each of three flags in turn, though the last one is set before the others."""
    flags, word = [words.word(0), words.word(0), words.word(1)], words.word(0)
    results = words.wait_in_turn(flags, EQ, stream, word)
    words.expect_turns(results, flags[:2], stream, word)


@covers("value_wait.mode_geq")
@deadline(10)
def test_geq_when_its_turn_comes(words, stream, blocked_stream):
    """What is compared is the word when the stream comes to the wait, not when the call is made."""
    with blocked_stream(stream) as hold:
        words.expect_held_after(*words.wait_behind(hold, GEQ), hold)


@covers("value_wait.mode_eq")
@deadline(10)
def test_eq_when_its_turn_comes(words, stream, blocked_stream):
    """What has to be equal is the word when the stream comes to the wait, not when the call is made."""
    with blocked_stream(stream) as hold:
        words.expect_held_after(*words.wait_behind(hold, EQ), hold)


@covers("value_wait.mode_and")
@deadline(10)
def test_and_when_its_turn_comes(words, stream, blocked_stream):
    """The bits that count are those of when the stream comes to the wait, not of when the call is made."""
    with blocked_stream(stream) as hold:
        words.expect_held_after(*words.wait_behind(hold, AND), hold)


@covers("value_wait.mode_nor")
@deadline(10)
def test_nor_when_its_turn_comes(words, stream, blocked_stream):
    """Bits have to be missing when the stream comes to the wait, not when the call is made."""
    with blocked_stream(stream) as hold:
        words.expect_held_after(*words.wait_behind(hold, NOR), hold)


@covers("value_wait.mode_eq")
def test_released_by_a_copy(words, stream, other_stream):
    """A copy inside the device that changes the word lets the stream go on."""
    word, source = words.word(0), words.word(0x0102030405060708)
    result = words.wait(word, 0x0102030405060708, EQ, stream)
    words.expect_released_by(result, stream, lambda: words.copy(word, source, other_stream))


@covers("value_wait.mode_and")
def test_released_by_a_fill(words, stream, other_stream):
    """A fill that changes the word lets the stream go on."""
    word = words.word(0)
    result = words.wait(word, 1 << 63, AND, stream)
    words.expect_released_by(result, stream, lambda: words.fill(word, 0x80, other_stream))


@covers("value_wait.mode_eq")
def test_copy_behind_a_wait(words, stream, other_stream):
    """A copy behind a wait takes what another stream has put there before it wrote the flag."""
    flag, source, target = words.word(0), words.word(1), words.word(2)
    result = words.wait(flag, 1, EQ, stream)
    words.copy(target, source, stream)
    words.write_in_turn(source, [0xC0FFEE], other_stream)
    words.write_in_turn(flag, [1], other_stream)
    words.expect_value([result], target, 0xC0FFEE, stream)


@covers("value_wait.stream_null")
def test_stream_null(words):
    """On the null stream a condition that holds lets the default stream go on."""
    word = words.word(7)
    result = words.wait(word, 7, EQ, stream=None)
    words.expect_value([result], word, 7, stream=None)


@covers("value_wait.stream_null")
@deadline(10)
def test_stream_null_is_held(words):
    """On the null stream a condition that does not hold keeps the default stream until it does."""
    word = words.word(0)
    result = words.wait(word, 1, EQ, stream=None)
    words.expect_held_until(result, word, 1, stream=None)


@covers("value_wait.blocks_only_own_stream")
@deadline(10)
def test_others_go_on(words, stream, other_stream):
    """Work on another stream and on the default stream is done while one stream waits."""
    flag, first, second = words.word(0), words.word(0), words.word(0)
    result = words.wait(flag, 1, EQ, stream)
    words.write_in_turn(first, [5], other_stream)
    words.write_in_turn(second, [6], None)
    words.expect_done_meanwhile(result, {other_stream: (first, 5), None: (second, 6)})
    words.expect_held_until(result, flag, 1, stream)


@covers("value_wait.async")
@deadline(10)
def test_async(words, stream):
    """With a condition that does not hold the call returns, and its stream is not complete."""
    word = words.word(0)
    result = words.wait(word, 1, EQ, stream)
    words.expect_held_until(result, word, 1, stream)


@covers("value_wait.stream_other_context")
def test_stream_of_another_context(words, stream, other_context, expect):
    """A stream is refused while another context of its device is current, and goes on."""
    word = words.word(0)
    with other_context.current():
        result = words.wait(word, 1, EQ, stream)
    expect.refused(result)
    words.expect_through(stream)


@covers("value_wait.stream_other_context")
def test_stream_of_another_device(words, stream, peer, expect):
    """A stream of device 0 is refused while device 1 is current, and goes on."""
    word = words.word(0)
    with peer.current():
        result = words.wait(word, 1, EQ, stream)
    expect.refused(result)
    words.expect_through(stream)
