// Places blocks in a range of numbers (offsets in an arena, addresses in a window).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace aclref {

/// Best fit, the lowest one first; free neighbours are joined. The same calls give the same places.
class RangeAllocator {
public:
    RangeAllocator(std::size_t begin, std::size_t end);

    /// Start of a free piece of `size` at a multiple of `alignment` (a power of two); nullopt when there is none.
    std::optional<std::size_t> allocate(std::size_t size, std::size_t alignment);
    /// Takes exactly this piece. False when some of it is taken or outside the range.
    bool allocate_at(std::size_t start, std::size_t size);
    void release(std::size_t start, std::size_t size);

private:
    using Free = std::map<std::size_t, std::size_t>;
    void carve(Free::iterator piece, std::size_t start, std::size_t size);
    void add_free(std::size_t start, std::size_t size);
    void drop_free(Free::iterator piece);

    Free free_;                                         // start -> size
    std::set<std::pair<std::size_t, std::size_t>> by_size_;  // size, start
};

}  // namespace aclref
