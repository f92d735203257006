// Memory offered to other processes.
//
// An exporting process keeps a table of its offers in a memfd. The number it hands out names the process, the table's
// descriptor and an entry; an importing process opens both the table and the memory itself through /proc/<pid>/fd. No
// thread answers and nothing stays behind: an exporter that exits takes its offers along, while an importer that holds
// the memory keeps its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/errors.hpp"

namespace aclref {

enum class OfferKind : std::uint32_t { physical = 1, block = 2 };

/// A piece of a memfd and what an importer must know of it.
struct SharedPiece {
    std::size_t offset = 0;
    std::size_t size = 0;
    int device = -1;                 ///< the exporter's
    std::uint32_t page = 0;
    aclrtPhysicalMemProp properties{};
};

/// Offers the piece; its number, or 0 when no offer can be made. `listed_only`: importers must be allowed first.
std::uint64_t offer_memory(OfferKind kind, const SharedPiece& piece, int descriptor, bool listed_only);
/// Lets processes import. False when the number is no open offer of this process, or the list is full.
bool allow_processes(std::uint64_t number, OfferKind kind, const std::int32_t* processes, std::size_t count);
/// Takes the processes that were let in off the list again.
void forbid_processes(std::uint64_t number);
/// No process can import it from now on.
void withdraw_offer(std::uint64_t number);
bool offer_open(std::uint64_t number, OfferKind kind);
/// Whether a living process still holds what it imported.
bool held_elsewhere(std::uint64_t number);

/// Memory of another process, held until this object goes.
class ImportedMemory {
public:
    ~ImportedMemory();
    SharedPiece piece;
    int descriptor = -1;

private:
    friend aclError import_memory(std::uint64_t, OfferKind, std::shared_ptr<ImportedMemory>&, const char*);
    struct Table;
    std::shared_ptr<Table> table_;
    std::size_t entry_ = 0;
    std::size_t seat_ = 0;
};

aclError import_memory(std::uint64_t number, OfferKind kind, std::shared_ptr<ImportedMemory>& out, const char* api);

/// The most processes an offer can be opened for.
inline constexpr std::size_t most_listed_processes = 65535;

}  // namespace aclref
