#include "memory/range_allocator.hpp"

#include <iterator>

#include "memory/pages.hpp"

namespace aclref {

RangeAllocator::RangeAllocator(std::size_t begin, std::size_t end) {
    if (begin < end) add_free(begin, end - begin);
}

void RangeAllocator::add_free(std::size_t start, std::size_t size) {
    free_.emplace(start, size);
    by_size_.emplace(size, start);
}

void RangeAllocator::drop_free(Free::iterator piece) {
    by_size_.erase({piece->second, piece->first});
    free_.erase(piece);
}

void RangeAllocator::carve(Free::iterator piece, std::size_t start, std::size_t size) {
    const auto [begin, length] = *piece;
    drop_free(piece);
    if (start > begin) add_free(begin, start - begin);
    const std::size_t end = start + size;
    if (end < begin + length) add_free(end, begin + length - end);
}

std::optional<std::size_t> RangeAllocator::allocate(std::size_t size, std::size_t alignment) {
    for (auto candidate = by_size_.lower_bound({size, 0}); candidate != by_size_.end(); ++candidate) {
        const auto [length, begin] = *candidate;
        const std::size_t start = round_up(begin, alignment);
        if (start - begin > length - size) continue;
        carve(free_.find(begin), start, size);
        return start;
    }
    return std::nullopt;
}

bool RangeAllocator::allocate_at(std::size_t start, std::size_t size) {
    auto piece = free_.upper_bound(start);
    if (piece == free_.begin()) return false;
    --piece;
    const auto [begin, length] = *piece;
    if (start - begin > length || length - (start - begin) < size) return false;
    carve(piece, start, size);
    return true;
}

void RangeAllocator::release(std::size_t start, std::size_t size) {
    auto after = free_.lower_bound(start);
    if (after != free_.end() && after->first == start + size) {
        size += after->second;
        auto next = std::next(after);
        drop_free(after);
        after = next;
    }
    if (after != free_.begin()) {
        auto before = std::prev(after);
        if (before->first + before->second == start) {
            start = before->first;
            size += before->second;
            drop_free(before);
        }
    }
    add_free(start, size);
}

}  // namespace aclref
