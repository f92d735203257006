// Instances as text and as JSON, for people who look for what a capture recorded.
#include <sstream>

#include "base/faults/copy.hpp"
#include "capture/instance.hpp"

namespace aclref::capture {

namespace {

/// A JSON string: names come from callers and may hold anything.
std::string quoted(const std::string& text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c < 0x20 || c >= 0x7f) {
            // Bytes outside ASCII are not known to be UTF-8; a code point each keeps the document well-formed.
            out += "\\u00";
            out += digits[c >> 4];
            out += digits[c & 15];
        } else {
            out += static_cast<char>(c);
        }
    }
    return out + '"';
}

const char* origin_name(Origin origin) {
    switch (origin) {
        case Origin::captured: return "captured";
        case Origin::built: return "built";
        case Origin::body: return "body";
    }
    return "";
}

const char* stage_name(Stage stage) {
    switch (stage) {
        case Stage::recording: return "recording";
        case Stage::ready: return "ready";
        case Stage::invalid: return "invalid";
    }
    return "";
}

std::uint32_t sequence_of(Instance& instance, NodeRef ref) { return instance.node(ref).sequence; }

}  // namespace

std::string describe(Instance& instance) {
    std::ostringstream out;
    out << "model instance " << instance.id << " (" << origin_name(instance.origin) << ", " << stage_name(instance.stage)
        << "), " << instance.node_count() << " tasks\n";
    for (std::size_t i = 0; i < instance.programs.size(); ++i) {
        out << "  stream " << i << "\n";
        for (const Node& node : instance.programs[i].nodes) {
            out << "    task " << node.sequence << ": " << node.task.kind;
            for (NodeRef before : node.after) out << ", after task " << sequence_of(instance, before);
            if (node.disabled) out << ", disabled";
            out << "\n";
        }
    }
    return out.str();
}

std::string describe_json(Instance& instance, bool verbose) {
    std::ostringstream out;
    out << "{\"model_ri_id\": " << instance.id << ", \"name\": " << quoted(instance.name) << ", \"origin\": \""
        << origin_name(instance.origin) << "\", \"stage\": \"" << stage_name(instance.stage) << "\", \"streams\": [";
    for (std::size_t i = 0; i < instance.programs.size(); ++i) {
        out << (i ? ", " : "") << "{\"stream\": " << i << ", \"tasks\": [";
        const auto& nodes = instance.programs[i].nodes;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const Node& node = nodes[k];
            out << (k ? ", " : "") << "{\"task\": " << node.sequence << ", \"kind\": " << quoted(node.task.kind)
                << ", \"after\": [";
            for (std::size_t a = 0; a < node.after.size(); ++a)
                out << (a ? ", " : "") << sequence_of(instance, node.after[a]);
            out << "]";
            if (verbose)
                out << ", \"bytes\": " << node.task.bytes << ", \"external\": " << (node.external ? "true" : "false")
                    << ", \"disabled\": " << (node.disabled ? "true" : "false");
            out << "}";
        }
        out << "]}";
    }
    out << (faulty(Fault::instance_json_broken) ? "]\n" : "]}\n");
    return out.str();
}

}  // namespace aclref::capture
