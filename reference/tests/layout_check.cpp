// The generated structs, as a C++ compiler lays them out.
#include <cstddef>

#define ACLREF_LAYOUT(condition, text) static_assert(condition, text)
#include "generated/layout_check.inc"
