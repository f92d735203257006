#include "kernels/program.hpp"

#include <algorithm>
#include <cstring>

#include "base/faults/kernels.hpp"
#include "memory/address_space.hpp"

namespace aclref::kernels {

namespace {

constexpr std::uint32_t magic = 0x4c4e524b;
constexpr std::size_t alignment = 8;
constexpr std::size_t largest_parameter = 8;
constexpr aclError fault_code = ACL_ERROR_RT_AICORE_EXCEPTION;

struct Head {
    std::uint32_t magic;
    std::uint8_t type;
    std::uint8_t simt;
    std::uint16_t schedule;
    std::uint16_t parameters;
    std::uint16_t steps;
};

/// Takes a value from the front of the bytes; false when they are too few.
template <class Value>
bool take(std::span<const std::byte>& bytes, Value& out) {
    if (bytes.size() < sizeof(Value)) return false;
    std::memcpy(&out, bytes.data(), sizeof(Value));
    bytes = bytes.subspan(sizeof(Value));
    return true;
}

/// How many operands a step has.
std::size_t parameter_operands(Operation operation) {
    switch (operation) {
        case Operation::add: return 4;
        case Operation::fill:
        case Operation::scale: return 3;
        case Operation::mark: return 1;
        default: return 0;
    }
}

/// One block at work.
class Worker {
public:
    Worker(const Program& program, const Execution& execution, std::uint32_t block)
        : program_(program), execution_(execution), block_(block) {}

    aclError step(const Step& step) {
        const auto& at = step.operands;
        switch (step.operation) {
            case Operation::add: return add(value(at[0]), value(at[1]), value(at[2]), value(at[3]));
            case Operation::fill: return fill(value(at[0]), static_cast<std::uint32_t>(value(at[1])), value(at[2]));
            case Operation::mark: return mark(value(at[0]));
            case Operation::scale: return scale(value(at[0]), value(at[1]), value(at[2]));
            case Operation::trap: return faulty(Fault::kernel_trap_ignored) ? 0 : fault_code;
        }
        return fault_code;
    }

    /// Whether every argument is there.
    bool complete() const { return execution_.arguments.size() >= program_.argument_bytes(); }

private:
    /// The block's part of so many elements: first and behind the last.
    std::pair<std::uint64_t, std::uint64_t> part(std::uint64_t elements) const {
        const std::uint64_t each = elements / execution_.blocks, rest = elements % execution_.blocks;
        const std::uint64_t first = block_ * each + std::min<std::uint64_t>(block_, rest);
        return {first, first + each + (block_ < rest ? 1 : 0)};
    }

    std::uint64_t value(std::uint16_t parameter) const {
        const Parameter& place = program_.parameters[parameter];
        std::uint64_t out = 0;
        std::memcpy(&out, execution_.arguments.data() + place.offset, place.size);
        return out;
    }

    bool reachable(std::uint64_t address, std::uint64_t bytes, bool write) const {
        AddressSpace& space = AddressSpace::instance();
        const auto* at = reinterpret_cast<const void*>(address);
        if (space.locate(at).kind == MemoryKind::foreign) return false;
        return space.check_range(at, bytes, write, execution_.device) == 0;
    }

    template <class Element>
    aclError read(std::uint64_t from, std::vector<Element>& out) const {
        const std::size_t bytes = out.size() * sizeof(Element);
        if (!reachable(from, bytes, false)) return fault_code;
        return AddressSpace::instance().copy(out.data(), reinterpret_cast<const void*>(from), bytes);
    }

    template <class Element>
    aclError write(std::uint64_t to, const std::vector<Element>& values) const {
        const std::size_t bytes = values.size() * sizeof(Element);
        if (!reachable(to, bytes, true)) return fault_code;
        return AddressSpace::instance().copy(reinterpret_cast<void*>(to), values.data(), bytes);
    }

    /// Room for the block's part of an array that lies at an address; false when such an array cannot be there.
    template <class Element>
    bool room(std::uint64_t address, std::uint64_t elements, std::uint64_t& first, std::vector<Element>& out) const {
        auto [begin, end] = part(elements);
        first = begin;
        if (begin == end) return true;
        std::uint64_t bytes = 0;
        if (__builtin_mul_overflow(end, sizeof(Element), &bytes) || !reachable(address, bytes, false)) return false;
        out.resize(end - begin);
        return true;
    }

    aclError add(std::uint64_t to, std::uint64_t left, std::uint64_t right, std::uint64_t count) const {
        std::uint64_t first = 0;
        std::vector<float> sums, others;
        if (!room(left, count, first, sums)) return fault_code;
        if (sums.empty()) return 0;
        others.resize(sums.size());
        const std::uint64_t skip = first * sizeof(float);
        if (aclError code = read(left + skip, sums)) return code;
        if (aclError code = read(right + skip, others)) return code;
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
        return write(to + skip, sums);
    }

    aclError fill(std::uint64_t to, std::uint32_t word, std::uint64_t count) const {
        std::uint64_t first = 0;
        std::vector<std::uint32_t> words;
        if (!room(to, count, first, words)) return fault_code;
        std::fill(words.begin(), words.end(), word);
        return words.empty() ? 0 : write(to + first * sizeof(word), words);
    }

    aclError mark(std::uint64_t to) const {
        return write(to + block_ * sizeof(std::uint32_t), std::vector<std::uint32_t>{execution_.blocks});
    }

    aclError scale(std::uint64_t to, std::uint64_t from, std::uint64_t record) const {
        struct Tiling {
            float factor;
            std::uint32_t count;
        };
        std::vector<Tiling> tiling(1);
        if (aclError code = read(record, tiling)) return code;
        std::uint64_t first = 0;
        std::vector<float> numbers;
        if (!room(from, tiling[0].count, first, numbers)) return fault_code;
        if (numbers.empty()) return 0;
        const std::uint64_t skip = first * sizeof(float);
        if (aclError code = read(from + skip, numbers)) return code;
        for (float& number : numbers) number *= tiling[0].factor;
        return write(to + skip, numbers);
    }

    const Program& program_;
    const Execution& execution_;
    std::uint32_t block_;
};

}  // namespace

std::size_t Program::argument_bytes() const {
    return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
}

bool decode(std::span<const std::byte> bytes, Program& out) {
    Head head{};
    if (!take(bytes, head) || head.magic != magic || head.type > ACL_KERNEL_TYPE_MIX) return false;
    out.type = static_cast<aclrtKernelType>(head.type);
    out.simt = head.simt != 0;
    out.schedule = head.schedule;
    std::size_t offset = 0;
    for (unsigned i = 0; i < head.parameters; ++i) {
        std::uint32_t size = 0;
        if (!take(bytes, size) || size == 0 || size > largest_parameter) return false;
        out.parameters.push_back({offset, size});
        offset += (size + alignment - 1) / alignment * alignment;
    }
    for (unsigned i = 0; i < head.steps; ++i) {
        Step step{};
        if (!take(bytes, step)) return false;
        for (std::size_t operand = 0; operand < parameter_operands(step.operation); ++operand)
            if (step.operands[operand] >= out.parameters.size()) return false;
        out.steps.push_back(step);
    }
    return true;
}

aclError run(const Program& program, const Execution& execution) {
    for (const Step& step : program.steps) {
        for (std::uint32_t block = 0; block < execution.blocks; ++block) {
            Worker worker(program, execution, block);
            if (!worker.complete()) return fault_code;
            if (aclError code = worker.step(step)) return code;
            if (faulty(Fault::launch_runs_one_block)) break;
        }
    }
    return 0;
}

}  // namespace aclref::kernels
