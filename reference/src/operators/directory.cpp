#include "operators/directory.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/faults/operators.hpp"
#include "models/file.hpp"

namespace aclref {

namespace {

namespace fs = std::filesystem;

constexpr int levels = 3;  // the directory itself counts

int levels_here() {
    if (faulty(Fault::operator_directory_flat)) return 1;
    return faulty(Fault::operator_directory_deep) ? levels + 1 : levels;
}

}  // namespace

aclError read_operator_files(const char* directory, std::vector<std::vector<std::byte>>& out) {
    std::error_code trouble;
    fs::recursive_directory_iterator entry(directory, trouble);
    if (trouble && faulty(Fault::operator_directory_unchecked)) return 0;
    if (trouble) return refuse(ACL_ERROR_READ_MODEL_FAILURE, "%s is no directory that can be read", directory);
    if (faulty(Fault::operator_directory_ignored)) return 0;
    std::vector<fs::path> files;
    for (; entry != fs::recursive_directory_iterator(); entry.increment(trouble)) {
        if (entry.depth() + 1 >= levels_here()) entry.disable_recursion_pending();
        if (entry->path().extension() == ".om" && entry->is_regular_file(trouble)) files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        models::ModelFile content;
        if (models::read_model_file(file.c_str(), content) != 0)
            return refuse(ACL_ERROR_READ_MODEL_FAILURE, "%s cannot be read", file.c_str());
        out.push_back(std::move(content.bytes));
    }
    return 0;
}

}  // namespace aclref
