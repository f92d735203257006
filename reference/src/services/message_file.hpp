// Messages under a name, first in first out, shared by every process that opens the name.
//
// A name is a file in shared memory: a table of messages and, behind it, their bytes. Its first byte is locked while
// somebody opens or closes it, the second one is held by everybody who has it open, so that the last to leave removes
// it and a process that dies leaves nothing that the next one to open any name would not clear away.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aclref {

inline constexpr std::size_t most_messages = 8192;

class MessageFile {
public:
    enum class Outcome { done, full, empty, stopped, failed };

    /// Opens a name, or makes it with room for `capacity` messages (at most `most_messages`). Null when the system
    /// has no shared memory for it.
    static std::shared_ptr<MessageFile> open(const std::string& name, std::size_t capacity);
    ~MessageFile();
    MessageFile(const MessageFile&) = delete;
    MessageFile& operator=(const MessageFile&) = delete;

    /// Waits for room no longer than `timeout` (negative: without end), or until `stopped` is set.
    Outcome push(const std::vector<std::byte>& message, std::chrono::milliseconds timeout, const std::atomic<bool>& stopped);
    /// Takes the oldest message; waits as push() does.
    Outcome pop(std::vector<std::byte>& message, std::chrono::milliseconds timeout, const std::atomic<bool>& stopped);
    std::size_t size();
    void clear();
    /// Everybody who waits looks again.
    void wake();

private:
    struct Layout;
    MessageFile(int descriptor, Layout* layout, std::string path);
    class Guard;
    template <class Attempt>
    Outcome wait_for(Attempt attempt, Outcome late, std::chrono::milliseconds timeout, const std::atomic<bool>& stopped);
    bool append(const std::vector<std::byte>& message);
    bool take(std::vector<std::byte>& message);

    int descriptor_;
    Layout* layout_;
    std::string path_;
};

}  // namespace aclref
