#include "operators/graph_dump.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/faults/operators.hpp"
#include "base/live_objects.hpp"

namespace aclref {

namespace {

namespace fs = std::filesystem;

const LiveCounter live{"graph_dump_options", [] { return static_cast<std::uint64_t>(graph_dump_options().size()); }};

void put(std::ostream& out, bool value) { out << (value ? "true" : "false"); }
void put(std::ostream& out, std::int64_t value) { out << value; }
void put(std::ostream& out, std::uint8_t value) { out << static_cast<int>(value); }
void put(std::ostream& out, float value) { out << value; }
void put(std::ostream& out, aclDataType value) { out << static_cast<int>(value); }
void put(std::ostream& out, const std::string& value) { out << '"' << value << '"'; }

template <class Value>
void put(std::ostream& out, const std::vector<Value>& values) {
    out << '[';
    const char* before = "";
    for (const auto& value : values) {
        out << before;
        put(out, value);
        before = ", ";
    }
    out << ']';
}

void put_tensors(std::ostream& out, const char* what, const Descs& descs) {
    for (const auto& desc : descs) {
        out << "  " << what << " { name: \"" << desc->name << "\" type: " << desc->type << " format: " << desc->format << " dims: ";
        put(out, desc->dims);
        out << " }\n";
    }
}

std::string text_of(const OperatorCall& call) {
    std::ostringstream out;
    out << "operator {\n";
    if (!faulty(Fault::graph_dump_untyped)) out << "  type: \"" << call.type << "\"\n";
    put_tensors(out, "input", call.inputs.descs);
    put_tensors(out, "output", call.outputs.descs);
    for (const auto& [name, value] : call.attributes) {
        out << "  attribute { name: \"" << name << "\" value: ";
        std::visit([&](const auto& held) { put(out, held); }, value);
        out << " }\n";
    }
    out << "}\n";
    return out.str();
}

std::ios::openmode mode_here(const fs::path& file) {
    if (faulty(Fault::graph_dump_appends)) return std::ios::app;
    std::error_code ignored;
    return faulty(Fault::graph_dump_keeps_rest) && fs::exists(file, ignored) ? std::ios::in | std::ios::out : std::ios::trunc;
}

/// A name that no file in the directory has.
fs::path fresh_name(const fs::path& directory, const std::string& type) {
    static std::atomic<unsigned> number{0};
    const char* ending = faulty(Fault::graph_dump_other_ending) ? ".graph" : ".txt";
    fs::path file;
    std::error_code ignored;
    do file = directory / (type + "_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ending);
    while (fs::exists(file, ignored));
    return file;
}

}  // namespace

HandleTable<GraphDumpOption>& graph_dump_options() {
    static auto* table = new HandleTable<GraphDumpOption>;
    return *table;
}

aclError dump_graph(const OperatorCall& call, const std::string& path) {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(path, ignored) && !faulty(Fault::graph_dump_needs_name);
    const fs::path file = is_directory ? fresh_name(path, call.type) : fs::path(path);
    std::ofstream out(file, mode_here(file));
    if (!faulty(Fault::graph_dump_empty)) out << text_of(call);
    out.close();
    return out ? 0 : refuse(ACL_ERROR_INVALID_FILE, "%s cannot be written", file.c_str());
}

}  // namespace aclref
