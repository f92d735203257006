#include "runtime/shared_word.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <new>

#include "base/faults/runtime.hpp"

namespace aclref {

namespace {

SharedBlock* map(int descriptor) {
    void* at = ::mmap(nullptr, sizeof(SharedBlock), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return at == MAP_FAILED ? nullptr : static_cast<SharedBlock*>(at);
}

bool large_enough(int descriptor) {
    struct stat about;
    return ::fstat(descriptor, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(SharedBlock));
}

}  // namespace

SharedWord::SharedWord(int descriptor, SharedBlock* block, bool made)
    : descriptor_(descriptor), block_(block), made_(made) {}

SharedWord::~SharedWord() {
    // Faulty builds only: the block stays for whoever has its key.
    if (made_ && faulty(Fault::shared_key_outlives_object)) return;
    retire();
    ::munmap(block_, sizeof(SharedBlock));
    ::close(descriptor_);
}

std::shared_ptr<SharedWord> SharedWord::create() {
    int descriptor = ::memfd_create("aclref-shared", MFD_CLOEXEC);
    if (descriptor < 0) return nullptr;
    SharedBlock* block = ::ftruncate(descriptor, sizeof(SharedBlock)) == 0 ? map(descriptor) : nullptr;
    std::uint64_t token = 0;
    if (!block || ::getrandom(&token, sizeof(token), 0) != sizeof(token)) {
        if (block) ::munmap(block, sizeof(SharedBlock));
        ::close(descriptor);
        return nullptr;
    }
    new (block) SharedBlock{};
    block->token = token;
    block->alive.store(1);
    return std::shared_ptr<SharedWord>(new SharedWord(descriptor, block, true));
}

std::shared_ptr<SharedWord> SharedWord::open(const std::string& key) {
    int process = 0;
    int number = 0;
    std::uint64_t token = 0;
    char end = 0;
    if (std::sscanf(key.c_str(), "aclref-%d-%d-%" SCNx64 "%c", &process, &number, &token, &end) != 3) return nullptr;
    char path[64];
    std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, number);
    int descriptor = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return nullptr;
    SharedBlock* block = large_enough(descriptor) ? map(descriptor) : nullptr;
    if (block && block->token == token && block->alive.load() == 1)
        return std::shared_ptr<SharedWord>(new SharedWord(descriptor, block, false));
    if (block) ::munmap(block, sizeof(SharedBlock));
    ::close(descriptor);
    return nullptr;
}

void SharedWord::retire() {
    if (made_ && !faulty(Fault::shared_key_outlives_object)) block_->alive.store(0);
}

std::string SharedWord::key() const {
    char text[64];
    std::snprintf(text, sizeof(text), "aclref-%d-%d-%" PRIx64, static_cast<int>(::getpid()), descriptor_, block_->token);
    return text;
}

bool SharedWord::allows(std::int32_t process) const {
    if (block_->anyone.load()) return true;
    for (const auto& listed : block_->importers)
        if (listed.load() == process) return true;
    return false;
}

bool SharedWord::allow(std::int32_t process) {
    for (auto& listed : block_->importers) {
        std::int32_t none = 0;
        if (listed.compare_exchange_strong(none, process) || none == process) return true;
    }
    return false;
}

}  // namespace aclref
