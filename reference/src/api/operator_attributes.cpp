// Graph engine: attributes of single operators.
#include "operators/attributes.hpp"

#include <cstdlib>

#include "models/caller_array.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// A list of the caller's as a value; an empty one needs no memory. 0 or a recorded code.
template <class Value>
aclError set_list(aclopAttr* attr, const char* name, int count, const Value* values) {
    if (count < 0) return refuse(ACL_ERROR_INVALID_PARAM, "there cannot be %d values", count);
    if (count == 0 && faulty(Fault::attribute_list_needs_values))
        return refuse(ACL_ERROR_INVALID_PARAM, "the list is empty");
    if (count > 0 && !values)
        return faulty(Fault::attribute_lists_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "values is NULL");
    std::vector<Value> taken;
    if (aclError code = read_array(values, static_cast<size_t>(count), taken)) return code;
    return set_attribute(attr, name, std::move(taken));
}

/// Faulty builds only: an object is not given back.
bool leaks() { return faulty(Fault::attributes_never_freed); }

}  // namespace

aclopAttr* aclopCreateAttr() {
    if (enter(Function::aclopCreateAttr) != 0) return nullptr;
    if (faulty(Fault::attributes_need_device) && !Runtime::instance().current_context()) return nullptr;
    auto make = [] { return static_cast<aclopAttr*>(operator_attributes().add(std::make_shared<OperatorAttributes>())); };
    if (!faulty(Fault::attributes_made_once)) return make();
    static aclopAttr* only = nullptr;
    if (!operator_attributes().find(only)) only = make();
    return only;
}

void aclopDestroyAttr(const aclopAttr* attr) {
    if (enter(Function::aclopDestroyAttr) != 0 || leaks()) return;
    if (!attr && faulty(Fault::attributes_null_crashes)) std::abort();
    (void)operator_attributes().remove(attr);
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
    ACLREF_ENTER(aclopSetAttrBool);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_attribute(attr, attrName, attrValue != 0);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
    ACLREF_ENTER(aclopSetAttrInt);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_attribute(attr, attrName, std::int64_t{attrValue});
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
    ACLREF_ENTER(aclopSetAttrFloat);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_attribute(attr, attrName, attrValue);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
    ACLREF_ENTER(aclopSetAttrString);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    ACLREF_NEEDS(attrValue);
    return set_attribute(attr, attrName, std::string(attrValue));
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
    ACLREF_ENTER(aclopSetAttrDataType);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_attribute(attr, attrName, attrValue);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues, const uint8_t* values) {
    ACLREF_ENTER(aclopSetAttrListBool);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_list(attr, attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues, const int64_t* values) {
    ACLREF_ENTER(aclopSetAttrListInt);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_list(attr, attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues, const float* values) {
    ACLREF_ENTER(aclopSetAttrListFloat);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_list(attr, attrName, numValues, values);
}

aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues, const aclDataType values[]) {
    ACLREF_ENTER(aclopSetAttrListDataType);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    return set_list(attr, attrName, numValues, values);
}

aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues, const char** values) {
    ACLREF_ENTER(aclopSetAttrListString);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    if (numValues < 0) return refuse(ACL_ERROR_INVALID_PARAM, "there cannot be %d values", numValues);
    if (numValues == 0 && faulty(Fault::attribute_list_needs_values))
        return refuse(ACL_ERROR_INVALID_PARAM, "the list is empty");
    if (numValues > 0 && !values)
        return faulty(Fault::attribute_lists_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "values is NULL");
    std::vector<const char*> given;
    if (aclError code = read_array(values, static_cast<size_t>(numValues), given)) return code;
    std::vector<std::string> texts;
    for (const char* text : given) {
        if (!text)
            return faulty(Fault::attribute_lists_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "a text of the list is NULL");
        texts.emplace_back(text);
    }
    return set_attribute(attr, attrName, std::move(texts));
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists, const int* numValues,
                                 const int64_t* const values[]) {
    ACLREF_ENTER(aclopSetAttrListListInt);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(attrName);
    ACLREF_NEEDS(numValues);
    if (numLists < 0) return refuse(ACL_ERROR_INVALID_PARAM, "there cannot be %d lists", numLists);
    if (numLists == 0 && faulty(Fault::attribute_list_needs_values))
        return refuse(ACL_ERROR_INVALID_PARAM, "the list is empty");
    if (numLists > 0 && !values)
        return faulty(Fault::attribute_lists_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "values is NULL");
    std::vector<int> counts;
    std::vector<const int64_t*> given;
    if (aclError code = read_array(numValues, static_cast<size_t>(numLists), counts)) return code;
    if (aclError code = read_array(values, static_cast<size_t>(numLists), given)) return code;
    std::vector<std::vector<std::int64_t>> lists(counts.size());
    for (size_t index = 0; index < lists.size(); ++index) {
        if (counts[index] < 0) return refuse(ACL_ERROR_INVALID_PARAM, "a list cannot have %d values", counts[index]);
        if (aclError code = read_array(given[index], static_cast<size_t>(counts[index]), lists[index])) return code;
    }
    return set_attribute(attr, attrName, std::move(lists));
}
