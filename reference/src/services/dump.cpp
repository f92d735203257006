#include "services/dump.hpp"

#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "base/faults/services.hpp"
#include "runtime/runtime.hpp"
#include "services/caller_bytes.hpp"

namespace aclref {

namespace {

constexpr int deepest_nesting = 10;

struct Dump {
    std::mutex mutex;
    bool from_file = false;  ///< aclInit's file has set dump up
    bool running = false;    ///< between aclmdlInitDump and aclmdlFinalizeDump
    std::shared_ptr<const DumpConfig> config;
    std::atomic<DumpMessage> callback{nullptr};
};

Dump& dump() {
    static auto* instance = new Dump;
    return *instance;
}

aclError uninitialised() {
    return faulty(Fault::dump_without_init) ? 0 : refuse(ACL_ERROR_UNINITIALIZE, "the process is not initialised");
}

aclError not_running() { return refuse(ACL_ERROR_DUMP_NOT_RUN, "dump is not initialised"); }

/// The configuration of a file. Null, with code 0, for an empty file.
std::shared_ptr<const DumpConfig> read_file(const char* path, aclError& code) {
    code = 0;
    struct stat about {};
    std::ifstream file(path, std::ios::binary);
    if (::stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !file) {
        code = refuse(ACL_ERROR_INVALID_FILE, "the file %s cannot be read", path);
        return nullptr;
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (text.empty()) return nullptr;
    std::string why;
    const auto root = parse_json(text, deepest_nesting, why);
    if (!root) {
        code = refuse(ACL_ERROR_INVALID_DUMP_CONFIG, "the file %s is not valid: %s", path, why.c_str());
        return nullptr;
    }
    auto made = std::make_shared<DumpConfig>();
    const Json* section = root->find("dump");
    if (section) code = read_dump_config(*section, *made);
    return code || !section ? nullptr : made;
}

/// Faulty builds only: a file that is refused counts as an empty one.
aclError judged(aclError code) { return faulty(Fault::dump_config_unchecked) ? 0 : code; }

void write_file(const std::filesystem::path& file, const std::byte* bytes, std::size_t size) {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

/// One message holds the whole tensor.
void send_chunk(DumpMessage function, const std::string& name, const std::vector<std::byte>& bytes) {
    std::vector<std::byte> memory(sizeof(acldumpChunk) + bytes.size());
    auto* chunk = reinterpret_cast<acldumpChunk*>(memory.data());
    std::strncpy(chunk->fileName, name.c_str(), sizeof(chunk->fileName) - 1);
    chunk->bufLen = static_cast<std::uint32_t>(bytes.size());
    chunk->isLastChunk = 1;
    if (!bytes.empty()) std::memcpy(memory.data() + offsetof(acldumpChunk, dataBuf), bytes.data(), bytes.size());
    (void)function(chunk, static_cast<int32_t>(memory.size()));
}

/// Why a tensor cannot be saved; null where it can.
const char* wrong_tensor(const acldumpTensorInfo& tensor) {
    if (!tensor.tensorAddr) return "its address is NULL";
    if (tensor.tensorSize == 0) return "its size is 0";
    if (tensor.placement != ACL_DUMP_PLACEMENT_DEVICE) return "it is not on the device";
    if (tensor.type < ACL_DUMP_TENSOR_INPUT || tensor.type > ACL_DUMP_TENSOR_WORKSPACE) return "its type does not exist";
    return nullptr;
}

}  // namespace

void start_initial_dump(const std::optional<DumpConfig>& config) {
    std::lock_guard lock(dump().mutex);
    dump().from_file = config.has_value();
    dump().config = config ? std::make_shared<DumpConfig>(*config) : nullptr;
}

aclError init_dump() {
    if (!Runtime::instance().initialised()) return uninitialised();
    std::lock_guard lock(dump().mutex);
    const bool lax = faulty(Fault::dump_init_unchecked);
    if (dump().from_file && !lax) return refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit's file has set dump up");
    if (dump().running && !lax) return refuse(ACL_ERROR_REPEAT_INITIALIZE, "dump is initialised already");
    dump().running = true;
    return 0;
}

aclError set_dump(const char* path) {
    if (!Runtime::instance().initialised()) return uninitialised();
    std::lock_guard lock(dump().mutex);
    if (!dump().running && !faulty(Fault::dump_order_unchecked)) return not_running();
    if (!path) return judged(refuse(ACL_ERROR_INVALID_PARAM, "dumpCfgPath is NULL"));
    aclError code = 0;
    auto config = read_file(path, code);
    if (code) return judged(code);
    if (!config) return faulty(Fault::dump_empty_file_refused) ? refuse(ACL_ERROR_INVALID_FILE, "the file is empty") : 0;
    if (dump().config && faulty(Fault::dump_first_config_wins)) return 0;
    dump().config = std::move(config);
    return 0;
}

aclError finalize_dump() {
    if (!Runtime::instance().initialised()) return uninitialised();
    std::lock_guard lock(dump().mutex);
    if (!dump().running && !faulty(Fault::dump_order_unchecked)) return not_running();
    if (!faulty(Fault::dump_never_ends)) dump().running = false;
    dump().config.reset();
    return 0;
}

void finish_dump() {
    std::lock_guard lock(dump().mutex);
    dump().from_file = dump().running = false;
    dump().config.reset();
}

const char* dump_path(acldumpType type) {
    std::lock_guard lock(dump().mutex);
    const auto& config = dump().config;
    if (!config) return faulty(Fault::dump_path_made_up) ? "/" : nullptr;
    bool on = false;
    switch (type) {
        case AIC_ERR_BRIEF_DUMP: on = config->scene == "aic_err_brief_dump" || config->scene == "lite_exception"; break;
        case AIC_ERR_NORM_DUMP: on = config->scene == "aic_err_norm_dump"; break;
        case AIC_ERR_DETAIL_DUMP: on = config->scene == "aic_err_detail_dump"; break;
        case DATA_DUMP: on = config->dumps_models() || config->operators; break;
        case OVERFLOW_DUMP: on = config->overflow; break;
    }
    return on ? config->path.c_str() : nullptr;
}

std::string exception_folder(int device) {
    std::lock_guard lock(dump().mutex);
    const auto& config = dump().config;
    if (!config || !config->dumps_exceptions()) return "";
    const std::filesystem::path root = config->path.empty() ? std::filesystem::path(".") : std::filesystem::path(config->path);
    return (root / "extra-info" / "data-dump" / std::to_string(device)).string();
}

aclError save_exception_info(const std::string& folder, const char* name, const acldumpTensorInfo* tensors,
                             std::size_t count) {
    if (count > SIZE_MAX / sizeof(*tensors)) return refuse(ACL_ERROR_INVALID_PARAM, "there are no %zu tensors", count);
    if (aclError code = check_bytes(tensors, count * sizeof(*tensors), false)) return code;
    for (std::size_t index = 0; index < count; ++index)
        if (const char* why = wrong_tensor(tensors[index]))
            return refuse(ACL_ERROR_INVALID_PARAM, "tensor %zu: %s", index, why);
    std::vector<std::byte> content;
    for (std::size_t index = 0; index < count; ++index) {
        const acldumpTensorInfo& tensor = tensors[index];
        if (aclError code = check_bytes(tensor.tensorAddr, tensor.tensorSize, false)) return code;
        const std::size_t at = content.size();
        content.resize(at + tensor.tensorSize);
        if (aclError code = take_bytes(content.data() + at, tensor.tensorAddr, tensor.tensorSize)) return code;
    }
    write_file(std::filesystem::path(folder) / name, content.data(), content.size());
    return 0;
}

void set_dump_callback(DumpMessage function) { dump().callback = function; }
void forget_dump_callback() { dump().callback = nullptr; }

std::shared_ptr<const DumpConfig> dump_of_model(const std::string& name) {
    std::lock_guard lock(dump().mutex);
    const auto& config = dump().config;
    return config && config->dumps_model(name) ? config : nullptr;
}

std::shared_ptr<const DumpConfig> dump_of_run(const std::shared_ptr<const DumpConfig>& at_load, const std::string& name) {
    return faulty(Fault::dump_of_every_run) ? dump_of_model(name) : at_load;
}

void dump_run(const DumpConfig& config, const std::string& model, std::uint32_t id, int device,
              const std::vector<DumpedTensor>& tensors) {
    static std::atomic<std::uint64_t> runs{0};
    const std::uint64_t run = runs.fetch_add(1);
    const DumpMessage callback = dump().callback.load();
    for (const DumpedTensor& tensor : tensors) {
        if (tensor.input ? !config.inputs : !config.outputs) continue;
        const auto name = std::filesystem::path(std::to_string(device)) / model / std::to_string(id) / std::to_string(run) /
                          ((tensor.input ? "input." : "output.") + std::to_string(tensor.index) + ".bin");
        if (faulty(Fault::dump_writes_nothing)) continue;
        if (callback) send_chunk(callback, name.string(), tensor.bytes);
        else write_file(std::filesystem::path(config.path) / name, tensor.bytes.data(), tensor.bytes.size());
    }
}

}  // namespace aclref
