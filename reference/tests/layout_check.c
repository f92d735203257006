/* The generated structs, as a C compiler lays them out. */
#include <stddef.h>

#define ACLREF_LAYOUT(condition, text) _Static_assert(condition, text)
#include "generated/layout_check.inc"
