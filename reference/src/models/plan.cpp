#include "models/plan.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>

#include "base/faults/models.hpp"
#include "models/plan_reader.hpp"
#include "runtime/runtime.hpp"

namespace aclref::models {

namespace {

/// The operator package this library stands for; models may demand it.
constexpr std::string_view operators_version = "1.0";

aclError refuse_graph(const char* why) { return refuse(ACL_ERROR_GE_FAILURE, "the model cannot be loaded: %s", why); }

bool runs_here(const std::string& product) {
    return product.empty() || faulty(Fault::load_other_product_accepted) || product == product_keys[static_cast<std::size_t>(profile().product)];
}

/// Faulty builds only: the model with zeros at its end, up to the length in its header.
Bytes padded_to_header(Bytes bytes, std::vector<std::byte>& padded) {
    constexpr std::uint64_t most = 1 << 20;
    const std::uint64_t payload = read_header(bytes).payload;
    if (payload > most || bytes.size() >= header_bytes + payload) return bytes;
    padded.assign(bytes.begin(), bytes.end());
    padded.resize(header_bytes + payload);
    return padded;
}

}  // namespace

bool Tensor::has_fixed_dims() const { return std::all_of(dims.begin(), dims.end(), [](auto dim) { return dim >= 0; }); }

std::size_t Plan::gear_input() const {
    auto it = std::find_if(inputs.begin(), inputs.end(), [](const Tensor& each) { return each.role == Role::gear; });
    return static_cast<std::size_t>(it - inputs.begin());
}

bool can_compute(aclDataType type) {
    switch (type) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_DOUBLE:
        case ACL_INT64:
        case ACL_UINT64: return true;
        default: return false;
    }
}

std::uint64_t tensor_bytes(aclDataType type, const Dims& dims) {
    std::uint64_t bytes = element_bytes(type);
    for (std::int64_t dim : dims)
        if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dim), &bytes)) return 0;
    return bytes;
}

namespace {

aclError read_checked_plan(Bytes bytes, Origin origin, std::shared_ptr<const Plan>& out) {
    if (aclError code = check_size(bytes, origin)) return code;
    if (is_zip(bytes)) return refuse(ACL_ERROR_GE_PARAM_INVALID, "there is no loader for packages here");
    if (!Runtime::instance().initialised() && !faulty(Fault::load_sizes_before_init)) return refuse(ACL_ERROR_GE_EXEC_NOT_INIT, "the process is not initialised");
    std::vector<std::byte> padded;
    if (faulty(Fault::load_cut_model_padded)) bytes = padded_to_header(bytes, padded);
    Envelope envelope;
    if (aclError code = open_envelope(bytes, envelope)) return code;
    auto plan = std::make_shared<Plan>();
    plan->is_dynamic = envelope.header.takes_dynamic_route();
    plan->graph_bytes = envelope.part(Partition::graph).size();
    plan->task_bytes = envelope.part(Partition::tasks).size();
    GraphFacts facts;
    if (!read_graph(envelope.part(Partition::graph), *plan, facts)) return refuse_graph("its graph is no message of this kind");
    if (!envelope.has(Partition::tasks)) return refuse_graph("it has no tasks");
    if (!read_tasks(envelope.part(Partition::tasks), *plan)) return refuse_graph("its tasks are no message of this kind");
    const Bytes weights = envelope.part(Partition::weights);
    plan->weights.assign(weights.begin(), weights.end());
    if (const char* why = contradiction(*plan)) return refuse_graph(why);
    if (!runs_here(facts.product)) return refuse_graph("it was built for another product");
    if (faulty(Fault::load_operator_package_refused) && envelope.header.checks_host)
        return refuse_graph("it demands an operator package");
    if (envelope.header.checks_host && !faulty(Fault::load_operator_package_unchecked) && facts.operators_version != operators_version)
        return refuse_graph("it was built with another operator package");
    out = std::move(plan);
    return 0;
}

}  // namespace

aclError read_plan(Bytes bytes, Origin origin, std::shared_ptr<const Plan>& out) {
    static std::atomic<bool> failed{false};
    const aclError code = read_checked_plan(bytes, origin, out);
    if (!faulty(Fault::load_failure_sticks)) return code;
    if (code == 0 && failed.exchange(false)) return refuse(ACL_ERROR_INVALID_PARAM, "an earlier load failed");
    failed = code != 0;
    return code;
}

}  // namespace aclref::models
