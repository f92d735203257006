#include "base/fault.hpp"

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

namespace aclref {

namespace {

struct Entry {
    std::string_view name;
    std::string_view sentence;
};

constexpr std::array<Entry, static_cast<std::size_t>(Fault::count_)> entries{{
#define ACLREF_FAULT(name, sentence) {#name, sentence},
#include "base/faults.def"
#undef ACLREF_FAULT
}};

constexpr std::size_t words = (entries.size() + 63) / 64;
constinit std::array<std::atomic<std::uint64_t>, words> selected{};

std::size_t find(std::string_view name) {
    std::size_t index = 0;
    while (index < entries.size() && entries[index].name != name) ++index;
    return index;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

bool faulty(Fault fault) noexcept {
    auto index = static_cast<std::size_t>(fault);
    return selected[index / 64].load(std::memory_order_relaxed) >> (index % 64) & 1;
}

bool select_faults(std::string_view names) {
    std::bitset<entries.size()> wanted;
    while (!names.empty()) {
        std::size_t comma = names.find(',');
        std::string_view name = trimmed(names.substr(0, comma));
        names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
        if (name.empty()) continue;
        std::size_t index = find(name);
        if (index == entries.size()) return false;
        wanted.set(index);
    }
    for (std::size_t word = 0; word < words; ++word) {
        std::uint64_t bits = 0;
        for (std::size_t bit = 0; bit < 64 && word * 64 + bit < entries.size(); ++bit)
            bits |= std::uint64_t{wanted[word * 64 + bit]} << bit;
        selected[word].store(bits, std::memory_order_relaxed);
    }
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
