#include "memory/foreign.hpp"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "memory/pages.hpp"

// Older C libraries lack the names; kernels before 5.14 answer EINVAL.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace aclref {

namespace {

constexpr std::size_t bounce_bytes = std::size_t{1} << 20;

/// From here on reading the list of mappings costs less than asking for every page.
constexpr std::size_t listing_pays = std::size_t{16} << 20;

bool populate(std::uintptr_t begin, std::uintptr_t end, bool write) {
    return madvise(reinterpret_cast<void*>(begin), end - begin, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0;
}

/// Looks the range up in /proc/self/maps: for kernels and mappings that cannot be probed, and for large ranges.
/// `probed`: of a mapped file the last page is asked for, since it may lie behind the end of its file.
bool listed_accessible(std::uintptr_t begin, std::uintptr_t end, bool write, bool probed) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
    if (!maps) return false;
    char line[512];
    while (begin < end && std::fgets(line, sizeof(line), maps.get())) {
        unsigned long low = 0;
        unsigned long high = 0;
        char rights[5] = "";
        unsigned long inode = 0;
        if (std::sscanf(line, "%lx-%lx %4s %*x %*s %lu", &low, &high, rights, &inode) != 4 || high <= begin) continue;
        if (low > begin || rights[0] != 'r' || (write && rights[1] != 'w')) return false;
        begin = high;
        const std::uintptr_t last = std::min<std::uintptr_t>(high, end);
        if (probed && inode != 0 && !populate(last - small_page, last, write)) return false;
    }
    return begin >= end;
}

/// Cleared for good once the kernel refuses process_vm_readv/writev on principle.
std::atomic<bool> kernel_moves{true};

enum class Moved { yes, no, forbidden };

Moved kernel_move(bool write, void* own, const void* foreign, std::size_t bytes) {
    auto* local = static_cast<std::byte*>(own);
    auto* remote = static_cast<std::byte*>(const_cast<void*>(foreign));
    const pid_t self = getpid();
    while (bytes != 0) {
        iovec here{local, bytes};
        iovec there{remote, bytes};
        const ssize_t moved =
            write ? process_vm_writev(self, &here, 1, &there, 1, 0) : process_vm_readv(self, &here, 1, &there, 1, 0);
        if (moved <= 0) {
            const bool refused = moved < 0 && (errno == EPERM || errno == ENOSYS);
            return refused ? Moved::forbidden : Moved::no;
        }
        local += moved;
        remote += moved;
        bytes -= static_cast<std::size_t>(moved);
    }
    return Moved::yes;
}

bool move(bool write, void* own, const void* foreign, std::size_t bytes) {
    if (kernel_moves.load(std::memory_order_relaxed)) {
        const Moved moved = kernel_move(write, own, foreign, bytes);
        if (moved != Moved::forbidden) return moved == Moved::yes;
        kernel_moves.store(false, std::memory_order_relaxed);
    }
    if (!foreign_accessible(foreign, bytes, write)) return false;
    if (write) std::memcpy(const_cast<void*>(foreign), own, bytes);
    else std::memcpy(own, foreign, bytes);
    return true;
}

}  // namespace

bool foreign_accessible(const void* address, std::size_t bytes, bool write) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    if (bytes == 0) return true;
    // More than the machine has cannot be a range of ours to populate; asking would only cost its memory.
    if (start == 0 || start + bytes < start || bytes > host_memory_bytes()) return false;
    const std::uintptr_t begin = round_down(start, small_page);
    const std::uintptr_t end = round_up(start + bytes, small_page);
    if (end < start) return false;
    if (bytes >= listing_pays && listed_accessible(begin, end, write, true)) return true;
    if (populate(begin, end, write)) return true;
    return errno == EINVAL && listed_accessible(begin, end, write, false);
}

bool read_foreign(void* to, const void* foreign, std::size_t bytes) { return move(false, to, foreign, bytes); }

bool write_foreign(void* foreign, const void* from, std::size_t bytes) {
    return move(true, const_cast<void*>(from), foreign, bytes);
}

bool move_foreign(void* to, const void* from, std::size_t bytes) {
    std::vector<std::byte> bounce(std::min(bytes, bounce_bytes));
    const auto target = reinterpret_cast<std::uintptr_t>(to);
    const auto source = reinterpret_cast<std::uintptr_t>(from);
    // Like memmove: when the target lies behind the source, the last bytes have to go first.
    const bool backwards = target > source && target - source < bytes;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t now = std::min(bounce.size(), bytes - done);
        const std::size_t at = backwards ? bytes - done - now : done;
        if (!read_foreign(bounce.data(), reinterpret_cast<const void*>(source + at), now)) return false;
        if (!write_foreign(reinterpret_cast<void*>(target + at), bounce.data(), now)) return false;
        done += now;
    }
    return true;
}

bool fill_foreign(void* foreign, unsigned char value, std::size_t bytes) {
    const std::vector<unsigned char> pattern(std::min(bytes, bounce_bytes), value);
    auto* target = static_cast<std::byte*>(foreign);
    for (std::size_t done = 0; done < bytes; done += pattern.size())
        if (!write_foreign(target + done, pattern.data(), std::min(pattern.size(), bytes - done))) return false;
    return true;
}

}  // namespace aclref
