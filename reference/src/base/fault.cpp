#include "base/fault.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/faults/copy.hpp"
#include "base/faults/kernels.hpp"
#include "base/faults/memory.hpp"
#include "base/faults/models.hpp"
#include "base/faults/operators.hpp"
#include "base/faults/runtime.hpp"
#include "base/faults/services.hpp"

namespace aclref {

namespace {

struct Entry {
    unsigned number;
    std::string_view name;
    std::string_view sentence;
};

#define ACLREF_FAULT(name, sentence) {Fault::name, #name, sentence},
constexpr Entry entries[] = {
#include "base/faults/runtime.def"

#include "base/faults/copy.def"

#include "base/faults/memory.def"

#include "base/faults/models.def"

#include "base/faults/services.def"

#include "base/faults/operators.def"

#include "base/faults/kernels.def"
};
#undef ACLREF_FAULT

constexpr std::size_t numbers = static_cast<std::size_t>(FaultArea::count_) * faults_per_area;
constexpr std::size_t words = numbers / 64;
constinit std::array<std::atomic<std::uint64_t>, words> selected{};

const Entry* find(std::string_view name) {
    for (const Entry& entry : entries)
        if (entry.name == name) return &entry;
    return nullptr;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

bool fault_selected(unsigned number) noexcept {
    return selected[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1;
}

bool select_faults(std::string_view names) {
    std::array<std::uint64_t, words> wanted{};
    while (!names.empty()) {
        std::size_t comma = names.find(',');
        std::string_view name = trimmed(names.substr(0, comma));
        names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
        if (name.empty()) continue;
        const Entry* entry = find(name);
        if (entry == nullptr) return false;
        wanted[entry->number / 64] |= std::uint64_t{1} << (entry->number % 64);
    }
    for (std::size_t word = 0; word < words; ++word) selected[word].store(wanted[word], std::memory_order_relaxed);
    return true;
}

const char* fault_list() {
    // Never freed: callers keep the pointer, and exit handlers may still ask.
    static const std::string* text = [] {
        auto* lines = new std::string;
        for (const Entry& entry : entries) lines->append(entry.name).append("\t").append(entry.sentence).append("\n");
        return lines;
    }();
    return text->c_str();
}

}  // namespace aclref
