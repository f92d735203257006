// Graph engine: dumping the graph of an operator.
#include "base/faults/operators.hpp"
#include "operators/compiler.hpp"
#include "operators/graph_dump.hpp"
#include "operators/request.hpp"
#include "services/require.hpp"

using namespace aclref;

extern "C" {

aclGraphDumpOption* aclCreateGraphDumpOpt() {
    if (enter(Function::aclCreateGraphDumpOpt) != 0) return nullptr;
    auto make = [] { return static_cast<aclGraphDumpOption*>(graph_dump_options().add(std::make_shared<GraphDumpOption>())); };
    if (!faulty(Fault::graph_dump_options_made_once)) return make();
    static aclGraphDumpOption* only = nullptr;
    if (!graph_dump_options().find(only)) only = make();
    return only;
}

aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption* graphDumpOpt) {
    ACLREF_ENTER(aclDestroyGraphDumpOpt);
    ACLREF_NEEDS(graphDumpOpt);
    if (!graph_dump_options().find(graphDumpOpt)) return refuse(ACL_ERROR_INVALID_PARAM, "graphDumpOpt does not exist");
    if (!faulty(Fault::graph_dump_options_never_freed)) (void)graph_dump_options().remove(graphDumpOpt);
    return 0;
}

aclError aclGenGraphAndDumpForOp(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                 const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
                                 aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
                                 const char* graphDumpPath, const aclGraphDumpOption* graphDumpOpt) {
    ACLREF_ENTER(aclGenGraphAndDumpForOp);
    ACLREF_NEEDS(opType);
    ACLREF_NEEDS(graphDumpPath);
    if (graphDumpOpt != nullptr && !faulty(Fault::graph_dump_option_taken))
        return refuse(ACL_ERROR_INVALID_PARAM, "graphDumpOpt is reserved and not NULL");
    OperatorRequest request;
    request.call.type = opType;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    if (aclError code = read_attributes(attr, request.call.attributes)) return code;
    if (aclError code = check_compilation(engineType, ACL_COMPILE_SYS)) return code;
    if (aclError code = check_operator(request.call)) return code;
    return dump_graph(request.call, graphDumpPath);
}

}  // extern "C"
