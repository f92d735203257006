#include "models/file.hpp"

#include "base/faults/models.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace aclref::models {

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

/// The whole content of a regular file; false when it cannot be read.
bool read_whole(const char* path, std::vector<std::byte>& out) {
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

}  // namespace

aclError read_model_file(const char* path, ModelFile& out) {
    if (std::strlen(path) >= PATH_MAX)
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path has %d characters or more", PATH_MAX);
    if (path[0] != '/' && faulty(Fault::load_absolute_paths_only))
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path is not absolute");
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path, nullptr), std::free);
    if (!resolved || !read_whole(resolved.get(), out.bytes))
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "%s is no file that can be read", path);
    struct stat link{};
    if (faulty(Fault::load_refuses_links) && ::lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path is a link");
    const std::string place = resolved.get();
    out.folder = place.substr(0, place.rfind('/'));
    return 0;
}

aclError check_path_characters(const char* path) {
    constexpr const char* never = "`;|&$<>*?!\"'\\\n\r\t";
    if (std::strpbrk(path, never) == nullptr || faulty(Fault::load_any_path_characters)) return 0;
    return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path has characters that paths of models may not have");
}

bool read_weight_file(const std::string& folder, const std::string& name, std::size_t size, std::vector<std::byte>& out) {
    return read_whole((folder + "/" + name).c_str(), out) && out.size() == size;
}

}  // namespace aclref::models
