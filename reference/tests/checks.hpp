// The smallest thing self-tests need: a check that names its place and counts, from any thread.
#pragma once

#include <atomic>
#include <cstdio>

#include "acl/acl.h"

namespace checks {

inline std::atomic<int> failed{0};
inline std::atomic<int> made{0};

inline void check(bool holds, const char* text, const char* file, int line) {
    ++made;
    if (holds) return;
    if (++failed > 20) return;  // the first ones tell enough
    const char* why = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s does not hold (%s)\n", file, line, text, why != nullptr ? why : "no error recorded");
}

/// Exit status of the program.
inline int result() {
    std::printf("%d checks, %d failed\n", made.load(), failed.load());
    return failed == 0 ? 0 : 1;
}

}  // namespace checks

#define CHECK(condition) ::checks::check(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
