// A few words of memory that several processes see: what inter-process events and notifies are made of.
//
// A block is a memfd of the process that made it. A key names that process, the descriptor and a random number; another
// process opens the descriptor through /proc and recognises the block by the number.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace aclref {

inline constexpr std::size_t most_importers = 64;

struct SharedBlock {
    std::uint64_t token;
    std::atomic<std::uint32_t> alive;        ///< 0 once the maker destroyed its object
    std::atomic<std::uint32_t> set;          ///< notify: recorded and not waited for yet
    std::atomic<std::uint64_t> recorded;     ///< event: records asked for
    std::atomic<std::uint64_t> completed;    ///< event: records that are complete
    std::atomic<std::uint32_t> anyone;       ///< 1: importers need not be listed
    std::atomic<std::int32_t> importers[most_importers];  ///< listed process ids, 0 = free
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

class SharedWord {
public:
    /// A new block, or null when the system has no descriptor or memory for one.
    static std::shared_ptr<SharedWord> create();
    /// The block of a key; null when it is gone, was destroyed or never existed.
    static std::shared_ptr<SharedWord> open(const std::string& key);
    ~SharedWord();
    SharedWord(const SharedWord&) = delete;
    SharedWord& operator=(const SharedWord&) = delete;

    /// Printable, at most 60 characters.
    std::string key() const;
    /// The maker's object is destroyed: nobody can open the block any more. Nothing in a process that opened it.
    void retire();
    SharedBlock& block() const { return *block_; }
    /// Whether this process has made the block.
    bool made() const { return made_; }
    bool allows(std::int32_t process) const;
    /// Lists a process; false when the list is full.
    bool allow(std::int32_t process);

private:
    SharedWord(int descriptor, SharedBlock* block, bool made);
    int descriptor_;
    SharedBlock* block_;
    bool made_;
};

}  // namespace aclref
