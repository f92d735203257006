#include "memory/addresses.hpp"

#include <sys/mman.h>

#include "memory/pages.hpp"

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

}  // namespace aclref
