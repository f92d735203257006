#include "memory/addresses.hpp"

#include <sys/mman.h>

#include <atomic>

#include "memory/pages.hpp"

// Older C libraries lack the name; kernels before 6.1 answer EINVAL.
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace aclref {

namespace {

constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* place(std::uintptr_t start) { return reinterpret_cast<void*>(start); }

}  // namespace

bool reserve_at(std::uintptr_t start, std::size_t size) {
    void* made = mmap(place(start), size, PROT_NONE, reserved | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == place(start)) return true;
    // Kernels that do not know the flag take the address as a hint.
    if (made != MAP_FAILED) munmap(made, size);
    return false;
}

std::uintptr_t reserve_anywhere(std::size_t size, std::size_t alignment) {
    if (size > ~std::size_t{0} - alignment) return 0;
    void* made = mmap(nullptr, size + alignment, PROT_NONE, reserved, -1, 0);
    if (made == MAP_FAILED) return 0;
    const auto begin = reinterpret_cast<std::uintptr_t>(made);
    const std::uintptr_t start = round_up(begin, alignment);
    if (start != begin) munmap(made, start - begin);
    munmap(place(start + size), begin + alignment - start);
    return start;
}

void unreserve(std::uintptr_t start, std::size_t size) { munmap(place(start), size); }

bool show(std::uintptr_t start, std::size_t size, int descriptor, std::size_t offset) {
    return mmap(place(start), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor,
                static_cast<off_t>(offset)) != MAP_FAILED;
}

void hide(std::uintptr_t start, std::size_t size) { mmap(place(start), size, PROT_NONE, reserved | MAP_FIXED, -1, 0); }

std::byte* show_anywhere(std::size_t size, int sharing, int descriptor, std::size_t offset) {
    const std::uintptr_t start = reserve_anywhere(size, huge_page);
    if (start == 0) return nullptr;
    void* made = mmap(place(start), size, PROT_READ | PROT_WRITE, sharing | MAP_FIXED | MAP_NORESERVE, descriptor,
                      static_cast<off_t>(offset));
    if (made != MAP_FAILED) return static_cast<std::byte*>(made);
    unreserve(start, size);
    return nullptr;
}

void gather_pages(std::byte* bytes, std::size_t size) {
    static constinit std::atomic<bool> can{true};
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
    const std::uintptr_t end = round_down(begin + size, huge_page);
    for (std::uintptr_t page = round_up(begin, huge_page); page < end && can.load(std::memory_order_relaxed); page += huge_page) {
        unsigned char used = 0;
        if (mincore(place(page + huge_page / 2), small_page, &used) != 0 || (used & 1U) != 0) continue;
        // A huge page of which nothing was used has no table that the kernel could change.
        static_cast<void>(*static_cast<volatile std::byte*>(place(page)));
        if (madvise(place(page), huge_page, MADV_COLLAPSE) != 0) can.store(false, std::memory_order_relaxed);
    }
}

}  // namespace aclref
