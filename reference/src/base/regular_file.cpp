#include "base/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aclref {

namespace {

struct Descriptor {
    int number;
    explicit Descriptor(const char* path) : number(::open(path, O_RDONLY | O_CLOEXEC)) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

}  // namespace

bool read_regular_file(const char* path, std::vector<std::byte>& out) {
    Descriptor file(path);
    struct stat facts{};
    if (file.number < 0 || ::fstat(file.number, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
    out.resize(static_cast<std::size_t>(facts.st_size));
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::read(file.number, out.data() + done, out.size() - done);
        if (got < 0) return false;
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    // A file may have shrunk meanwhile.
    out.resize(done);
    return true;
}

}  // namespace aclref
