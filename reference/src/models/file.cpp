#include "models/file.hpp"

#include "base/faults/models.hpp"
#include "base/regular_file.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/stat.h>

namespace aclref::models {

aclError read_model_file(const char* path, ModelFile& out) {
    if (std::strlen(path) >= PATH_MAX)
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path has %d characters or more", PATH_MAX);
    if (path[0] != '/' && faulty(Fault::load_absolute_paths_only))
        return refuse(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "the path is not absolute");
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path, nullptr), std::free);
    if (!resolved || !read_regular_file(resolved.get(), out.bytes))
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
    return read_regular_file((folder + "/" + name).c_str(), out) && out.size() == size;
}

}  // namespace aclref::models
