#include "kernels/image.hpp"

#include <cstring>
#include <elf.h>

#include "base/faults/kernels.hpp"
#include "base/profile.hpp"

namespace aclref::kernels {

namespace {

constexpr std::uint16_t machine = 0x4341;
constexpr std::size_t most_symbols = 4096;

/// Structures and texts of the file, none of which may lie outside it.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class Value>
    bool read(std::uint64_t offset, Value& out) const {
        if (!inside(offset, sizeof(Value))) return false;
        std::memcpy(&out, bytes_.data() + offset, sizeof(Value));
        return true;
    }

    bool inside(std::uint64_t offset, std::uint64_t size) const {
        return size <= bytes_.size() && offset <= bytes_.size() - size;
    }

    /// The text that begins there and ends inside the section.
    bool text(const Elf64_Shdr& section, std::uint64_t at, std::string& out) const {
        if (at >= section.sh_size || !inside(section.sh_offset, section.sh_size)) return false;
        const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + section.sh_offset + at;
        const std::size_t most = section.sh_size - at;
        const std::size_t length = ::strnlen(begin, most);
        out.assign(begin, length);
        return length < most;
    }

    std::span<const std::byte> part(const Part& part) const { return bytes_.subspan(part.offset, part.size); }

private:
    std::span<const std::byte> bytes_;
};

bool header_fits(const Elf64_Ehdr& header) {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == machine &&
           header.e_shentsize == sizeof(Elf64_Shdr);
}

/// Binaries name the product they were made for, or none.
bool made_for_this_product(std::uint32_t flags) {
    return flags == 0 || flags == static_cast<std::uint32_t>(profile().product) + 1;
}

/// A symbol's name and its place in the file; false when it lies outside.
bool locate(const Reader& reader, const Elf64_Ehdr& header, const Elf64_Shdr& names, const Elf64_Sym& symbol,
            std::string& name, Part& part) {
    Elf64_Shdr section{};
    if (symbol.st_shndx >= header.e_shnum || !reader.text(names, symbol.st_name, name) ||
        !reader.read(header.e_shoff + symbol.st_shndx * sizeof(section), section))
        return false;
    if (symbol.st_size > section.sh_size || symbol.st_value > section.sh_size - symbol.st_size) return false;
    part = {section.sh_offset + symbol.st_value, symbol.st_size};
    return reader.inside(section.sh_offset, section.sh_size);
}

bool read_symbols(const Reader& reader, const Elf64_Ehdr& header, Image& out) {
    Elf64_Shdr table{}, names{};
    bool found = false;
    for (unsigned i = 0; i < header.e_shnum && !found; ++i) {
        if (!reader.read(header.e_shoff + i * sizeof(table), table)) return false;
        found = table.sh_type == SHT_SYMTAB;
    }
    if (!found || table.sh_link >= header.e_shnum || table.sh_size / sizeof(Elf64_Sym) > most_symbols ||
        !reader.read(header.e_shoff + table.sh_link * sizeof(names), names))
        return false;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol{};
        if (!reader.read(table.sh_offset + at, symbol)) return false;
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (type != STT_FUNC && type != STT_OBJECT) continue;
        std::string name;
        Part part;
        if (!locate(reader, header, names, symbol, name, part)) return false;
        if (type == STT_OBJECT) {
            out.globals.emplace(name, part);
            continue;
        }
        Code code{part, {}};
        if (!decode(reader.part(part), code.program)) return false;
        out.functions.emplace(name, std::move(code));
    }
    return !out.functions.empty();
}

}  // namespace

aclError read_image(std::vector<std::byte> bytes, Image& out) {
    Reader reader(bytes);
    Elf64_Ehdr header{};
    const bool binary = reader.read(0, header) && header_fits(header) && read_symbols(reader, header, out);
    if (!binary && !faulty(Fault::binary_content_unchecked))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the %zu bytes are no kernel binary", bytes.size());
    if (binary && !made_for_this_product(header.e_flags))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the kernel binary is for another product");
    out.bytes = std::move(bytes);
    return 0;
}

}  // namespace aclref::kernels
