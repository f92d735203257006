#include "memory/shared_memory.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>

#include "base/faults/memory.hpp"

namespace aclref {

namespace {

constexpr std::size_t entry_count = 1024;
constexpr std::size_t seat_count = 64;
constexpr std::uint64_t magic = 0x616C72666F666672;

enum State : std::uint32_t { unused, open_for_import, withdrawn };

/// One offer. Written by the exporter before it is opened; importers only take and leave seats.
struct Entry {
    std::atomic<std::uint32_t> state;
    std::uint32_t salt;
    OfferKind kind;
    std::uint32_t listed_only;
    std::int32_t descriptor;
    std::uint64_t file_device;
    std::uint64_t file_inode;
    SharedPiece piece;
    std::atomic<std::uint32_t> listed;
    std::atomic<std::int32_t> seats[seat_count];  ///< process ids of importers, 0 = free
};

struct Layout {
    std::uint64_t magic;
    std::int32_t process;
    Entry entries[entry_count];
    std::atomic<std::int32_t> listed[entry_count][most_listed_processes];
};
static_assert(std::atomic<std::int32_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

/// A number taken apart: 22 bits of process, 12 of descriptor, 10 of entry, 20 of salt.
struct Number {
    std::int32_t process;
    int descriptor;
    std::size_t entry;
    std::uint32_t salt;

    static Number of(std::uint64_t value) {
        return {static_cast<std::int32_t>(value >> 42), static_cast<int>(value >> 30 & 0xFFF),
                static_cast<std::size_t>(value >> 20 & 0x3FF), static_cast<std::uint32_t>(value & 0xFFFFF)};
    }
    std::uint64_t value() const {
        return static_cast<std::uint64_t>(process) << 42 | static_cast<std::uint64_t>(descriptor) << 30 |
               static_cast<std::uint64_t>(entry) << 20 | salt;
    }
};

constexpr const char* table_name = "aclref-offers";

bool alive(std::int32_t process) { return kill(process, 0) == 0 || errno == EPERM; }

}  // namespace

/// A mapped table, one's own or another process's.
struct ImportedMemory::Table {
    Layout* layout = nullptr;
    int descriptor = -1;   ///< kept open by the owner only
    ~Table() {
        if (layout) munmap(layout, sizeof(Layout));
        if (descriptor >= 0) close(descriptor);
    }
};

namespace {

Layout* map_table(int descriptor) {
    void* made = mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    return made == MAP_FAILED ? nullptr : static_cast<Layout*>(made);
}

/// This process's table, made with the first offer.
struct Own {
    std::mutex mutex;
    Layout* layout = nullptr;
    int descriptor = -1;

    bool make() {
        // A child made by fork has its parent's table in its memory: it is not its own.
        if (layout && layout->process == getpid()) return true;
        layout = nullptr;
        descriptor = memfd_create(table_name, MFD_CLOEXEC);
        if (descriptor < 0 || descriptor > 0xFFF || ftruncate(descriptor, sizeof(Layout)) != 0) return false;
        layout = map_table(descriptor);
        if (!layout) return false;
        layout->process = getpid();
        layout->magic = magic;
        return true;
    }
    Entry* find(std::uint64_t value) {
        const Number number = Number::of(value);
        if (!layout || layout->process != getpid() || number.process != getpid() || number.descriptor != descriptor)
            return nullptr;
        Entry& entry = layout->entries[number.entry];
        return entry.state.load() != unused && entry.salt == number.salt ? &entry : nullptr;
    }
};

Own& own() {
    static auto* instance = new Own;
    return *instance;
}

bool seated(const Entry& entry) {
    for (const auto& seat : entry.seats)
        if (const std::int32_t process = seat.load(); process != 0 && alive(process)) return true;
    return false;
}

/// Opens a descriptor of another process, which must be a memfd of this name. -1 otherwise: nothing else is touched.
int open_of_process(std::int32_t process, int descriptor, const char* name) {
    char path[64];
    char target[64] = "";
    std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, descriptor);
    const ssize_t length = readlink(path, target, sizeof(target) - 1);
    const std::string wanted = std::string("/memfd:") + name;
    if (length < 0 || std::strncmp(target, wanted.c_str(), wanted.size()) != 0) return -1;
    return open(path, O_RDWR | O_CLOEXEC);
}

bool listed(const Layout& layout, std::size_t entry, std::int32_t process) {
    const std::uint32_t count = layout.entries[entry].listed.load(std::memory_order_acquire);
    for (std::uint32_t index = 0; index < count && index < most_listed_processes; ++index)
        if (layout.listed[entry][index].load() == process) return true;
    return false;
}

/// For a fault: whether memory of this kind is offered to every process.
bool open_to_all(const Layout& layout, OfferKind kind) {
    return std::any_of(std::begin(layout.entries), std::end(layout.entries), [kind](const Entry& entry) {
        return entry.state.load() == open_for_import && entry.kind == kind && entry.listed_only == 0;
    });
}

std::uint32_t random_salt() {
    std::uint32_t salt = 0;
    if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt)) salt = static_cast<std::uint32_t>(getpid());
    return (salt & 0xFFFFF) | 1;
}

}  // namespace

std::uint64_t offer_memory(OfferKind kind, const SharedPiece& piece, int descriptor, bool listed_only) {
    struct stat file {};
    if (descriptor < 0 || fstat(descriptor, &file) != 0) return 0;
    std::lock_guard lock(own().mutex);
    if (!own().make()) return 0;
    if (faulty(Fault::share_open_to_all_spreads) && open_to_all(*own().layout, kind)) listed_only = false;
    for (std::size_t index = 0; index < entry_count; ++index) {
        Entry& entry = own().layout->entries[index];
        const std::uint32_t state = entry.state.load();
        if (state == open_for_import || (state == withdrawn && seated(entry))) continue;
        entry.salt = random_salt();
        entry.kind = kind;
        entry.listed_only = listed_only ? 1 : 0;
        entry.descriptor = descriptor;
        entry.file_device = file.st_dev;
        entry.file_inode = file.st_ino;
        entry.piece = piece;
        if (kind != OfferKind::block || !faulty(Fault::ipc_list_outlives_key)) entry.listed.store(0);
        for (auto& seat : entry.seats) seat.store(0);
        entry.state.store(open_for_import, std::memory_order_release);
        return Number{getpid(), own().descriptor, index, entry.salt}.value();
    }
    return 0;
}

bool allow_processes(std::uint64_t number, OfferKind kind, const std::int32_t* processes, std::size_t count) {
    std::lock_guard lock(own().mutex);
    Entry* entry = own().find(number);
    if (!entry || entry->state.load() != open_for_import || entry->kind != kind) return false;
    const std::uint32_t before = entry->listed.load();
    if (count > most_listed_processes - before) return false;
    auto& list = own().layout->listed[Number::of(number).entry];
    for (std::size_t index = 0; index < count; ++index) list[before + index].store(processes[index]);
    entry->listed.store(before + static_cast<std::uint32_t>(count), std::memory_order_release);
    return true;
}

void forbid_processes(std::uint64_t number) {
    std::lock_guard lock(own().mutex);
    if (Entry* entry = own().find(number)) entry->listed.store(0);
}

void withdraw_offer(std::uint64_t number) {
    std::lock_guard lock(own().mutex);
    if (Entry* entry = own().find(number)) entry->state.store(withdrawn);
}

bool offer_open(std::uint64_t number, OfferKind kind) {
    std::lock_guard lock(own().mutex);
    Entry* entry = own().find(number);
    return entry && entry->state.load() == open_for_import && entry->kind == kind;
}

bool held_elsewhere(std::uint64_t number) {
    std::lock_guard lock(own().mutex);
    Entry* entry = own().find(number);
    return entry && seated(*entry);
}

ImportedMemory::~ImportedMemory() {
    if (table_ && table_->layout) table_->layout->entries[entry_].seats[seat_].store(0);
    if (descriptor >= 0) close(descriptor);
}

aclError import_memory(std::uint64_t value, OfferKind kind, std::shared_ptr<ImportedMemory>& out, const char* api) {
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    const Number number = Number::of(value);
    if (number.process == getpid()) return fail(refused, "%s: a process cannot import what it exported itself", api);
    auto table = std::make_shared<ImportedMemory::Table>();
    if (number.process > 0) table->descriptor = open_of_process(number.process, number.descriptor, table_name);
    struct stat file {};
    if (table->descriptor < 0 || fstat(table->descriptor, &file) != 0 ||
        static_cast<std::size_t>(file.st_size) != sizeof(Layout) || !(table->layout = map_table(table->descriptor)))
        return fail(refused, "%s: nothing is shared under this value", api);
    close(table->descriptor);
    table->descriptor = -1;
    const Layout& layout = *table->layout;
    Entry& entry = table->layout->entries[number.entry];
    if (layout.magic != magic || layout.process != number.process ||
        entry.state.load(std::memory_order_acquire) != open_for_import || entry.salt != number.salt || entry.kind != kind)
        return fail(refused, "%s: nothing is shared under this value", api);
    if (entry.listed_only != 0 && !listed(layout, number.entry, getpid()) && !faulty(Fault::import_list_ignored))
        return fail(refused, "%s: process %d is not on the list of the exporter", api, getpid());

    // The seat comes first: an exporter that frees in between keeps the pages counted.
    std::optional<std::size_t> seat;
    for (std::size_t index = 0; index < seat_count && !seat; ++index) {
        std::int32_t nobody = 0;
        if (entry.seats[index].compare_exchange_strong(nobody, getpid())) seat = index;
    }
    if (!seat) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: too many processes import this memory", api);
    auto made = std::make_shared<ImportedMemory>();
    made->table_ = table;
    made->entry_ = number.entry;
    made->seat_ = *seat;
    made->piece = entry.piece;
    made->descriptor = open_of_process(number.process, entry.descriptor, "aclref-");
    if (made->descriptor < 0 || fstat(made->descriptor, &file) != 0 || file.st_dev != entry.file_device ||
        file.st_ino != entry.file_inode || entry.state.load() != open_for_import)
        return fail(refused, "%s: the shared memory is gone", api);
    out = std::move(made);
    return ACL_SUCCESS;
}

}  // namespace aclref
