#include "services/message_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

namespace aclref {

namespace {

constexpr const char* folder = "/dev/shm/";
constexpr off_t entrance = 0;  // locked while the file is opened or closed
constexpr off_t presence = 1;  // held by everybody who has it open

std::string prefix() { return "aclref-channel-" + std::to_string(::getuid()) + "-"; }

/// A name of any characters as a part of a file name; names that hash alike are told apart by the caller.
std::string file_of(const std::string& name) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (unsigned char byte : name) hash = (hash ^ byte) * 1099511628211ULL;
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hash));
    return prefix() + text;
}

bool lock(int descriptor, short kind, off_t byte, bool wait) {
    struct flock range {};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    int done = 0;
    do done = ::fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
    while (done != 0 && errno == EINTR);
    return done == 0;
}

/// Removes the file when nobody has it open; the caller holds the entrance.
void remove_if_alone(int descriptor, const std::string& path) {
    if (lock(descriptor, F_WRLCK, presence, false)) ::unlink(path.c_str());
}

/// Files of processes that died go when the next one comes.
void clear_away() {
    DIR* entries = ::opendir(folder);
    if (!entries) return;
    const std::string wanted = prefix();
    while (const dirent* entry = ::readdir(entries)) {
        if (!std::string_view(entry->d_name).starts_with(wanted)) continue;
        const std::string path = std::string(folder) + entry->d_name;
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (descriptor < 0) continue;
        if (lock(descriptor, F_WRLCK, entrance, false)) remove_if_alone(descriptor, path);
        ::close(descriptor);
    }
    ::closedir(entries);
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* limit) {
    return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, limit, nullptr, 0);
}

}  // namespace

struct MessageFile::Layout {
    struct Slot {
        std::uint64_t offset;
        std::uint64_t size;
    };
    pthread_mutex_t mutex;
    std::atomic<std::uint32_t> changes;  ///< what waiters sleep on
    std::uint32_t capacity;
    std::uint32_t first;                 ///< slot of the oldest message
    std::uint32_t count;
    std::uint64_t end;                   ///< where the next message's bytes go
    char name[256];
    Slot slots[most_messages];
};

/// Holds the lock of the file. A process that died with it held has left whole messages: the count is written last.
class MessageFile::Guard {
public:
    explicit Guard(Layout& layout) : layout_(layout) {
        if (::pthread_mutex_lock(&layout.mutex) == EOWNERDEAD) ::pthread_mutex_consistent(&layout.mutex);
    }
    ~Guard() { ::pthread_mutex_unlock(&layout_.mutex); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

private:
    Layout& layout_;
};

MessageFile::MessageFile(int descriptor, Layout* layout, std::string path)
    : descriptor_(descriptor), layout_(layout), path_(std::move(path)) {}

MessageFile::~MessageFile() {
    if (lock(descriptor_, F_WRLCK, entrance, true)) remove_if_alone(descriptor_, path_);
    ::munmap(layout_, sizeof(Layout));
    ::close(descriptor_);
}

std::shared_ptr<MessageFile> MessageFile::open(const std::string& name, std::size_t capacity) {
    clear_away();
    const std::string path = folder + file_of(name);
    int descriptor = -1;
    struct stat about {};
    // The last user may remove the file between our open and our lock.
    while (true) {
        descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor < 0) return nullptr;
        if (!lock(descriptor, F_WRLCK, entrance, true) || ::fstat(descriptor, &about) != 0) {
            ::close(descriptor);
            return nullptr;
        }
        if (about.st_nlink > 0) break;
        ::close(descriptor);
    }
    const bool fresh = lock(descriptor, F_WRLCK, presence, false);
    bool usable = fresh ? ::ftruncate(descriptor, 0) == 0 && ::ftruncate(descriptor, sizeof(Layout)) == 0
                        : about.st_size >= static_cast<off_t>(sizeof(Layout));
    void* at = usable ? ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        ::close(descriptor);
        return nullptr;
    }
    auto* layout = static_cast<Layout*>(at);
    if (fresh) {
        new (layout) Layout{};
        pthread_mutexattr_t how;
        ::pthread_mutexattr_init(&how);
        ::pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
        ::pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
        ::pthread_mutex_init(&layout->mutex, &how);
        ::pthread_mutexattr_destroy(&how);
        layout->capacity = static_cast<std::uint32_t>(std::min(capacity, most_messages));
        layout->end = sizeof(Layout);
        std::snprintf(layout->name, sizeof(layout->name), "%s", name.c_str());
    }
    lock(descriptor, F_RDLCK, presence, true);
    lock(descriptor, F_UNLCK, entrance, true);
    std::shared_ptr<MessageFile> made(new MessageFile(descriptor, layout, path));
    return name == layout->name ? made : nullptr;
}

template <class Attempt>
MessageFile::Outcome MessageFile::wait_for(Attempt attempt, Outcome late, std::chrono::milliseconds timeout,
                                           const std::atomic<bool>& stopped) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + timeout;
    while (true) {
        const std::uint32_t seen = layout_->changes.load();
        if (stopped.load()) return Outcome::stopped;
        const Outcome outcome = attempt();
        if (outcome != late) return outcome;
        timespec limit{0, 0};
        if (timeout.count() >= 0) {
            const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end - steady_clock::now()).count();
            if (left <= 0) return late;
            limit = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
        }
        futex(layout_->changes, FUTEX_WAIT, seen, timeout.count() >= 0 ? &limit : nullptr);
    }
}

MessageFile::Outcome MessageFile::push(const std::vector<std::byte>& message, std::chrono::milliseconds timeout,
                                       const std::atomic<bool>& stopped) {
    const Outcome outcome = wait_for(
        [&] {
            Guard guard(*layout_);
            if (layout_->count >= layout_->capacity) return Outcome::full;
            return append(message) ? Outcome::done : Outcome::failed;
        },
        Outcome::full, timeout, stopped);
    if (outcome == Outcome::done) wake();
    return outcome;
}

MessageFile::Outcome MessageFile::pop(std::vector<std::byte>& message, std::chrono::milliseconds timeout,
                                      const std::atomic<bool>& stopped) {
    const Outcome outcome = wait_for(
        [&] {
            Guard guard(*layout_);
            if (layout_->count == 0) return Outcome::empty;
            return take(message) ? Outcome::done : Outcome::failed;
        },
        Outcome::empty, timeout, stopped);
    if (outcome == Outcome::done) wake();
    return outcome;
}

bool MessageFile::append(const std::vector<std::byte>& message) {
    std::size_t written = 0;
    while (written < message.size()) {
        const ssize_t step = ::pwrite(descriptor_, message.data() + written, message.size() - written,
                                      static_cast<off_t>(layout_->end + written));
        if (step < 0 && errno != EINTR) return false;
        if (step > 0) written += static_cast<std::size_t>(step);
    }
    layout_->slots[(layout_->first + layout_->count) % most_messages] = {layout_->end, message.size()};
    layout_->end += message.size();
    ++layout_->count;
    return true;
}

bool MessageFile::take(std::vector<std::byte>& message) {
    const Layout::Slot slot = layout_->slots[layout_->first];
    message.resize(slot.size);
    std::size_t read = 0;
    while (read < slot.size) {
        const ssize_t step =
            ::pread(descriptor_, message.data() + read, slot.size - read, static_cast<off_t>(slot.offset + read));
        if (step == 0 || (step < 0 && errno != EINTR)) return false;
        if (step > 0) read += static_cast<std::size_t>(step);
    }
    layout_->first = (layout_->first + 1) % most_messages;
    if (--layout_->count == 0) {
        layout_->end = sizeof(Layout);
        if (::ftruncate(descriptor_, sizeof(Layout)) != 0) return false;
    } else if (slot.size > 0) {
        ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(slot.offset),
                    static_cast<off_t>(slot.size));
    }
    return true;
}

std::size_t MessageFile::size() {
    Guard guard(*layout_);
    return layout_->count;
}

void MessageFile::clear() {
    {
        Guard guard(*layout_);
        layout_->count = 0;
        layout_->end = sizeof(Layout);
        if (::ftruncate(descriptor_, sizeof(Layout)) != 0) return;
    }
    wake();
}

void MessageFile::wake() {
    layout_->changes.fetch_add(1);
    futex(layout_->changes, FUTEX_WAKE, INT_MAX, nullptr);
}

}  // namespace aclref
