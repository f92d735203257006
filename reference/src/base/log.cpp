#include "base/log.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace aclref {

namespace {

constexpr std::array<const char*, 4> level_names{{"DEBUG", "INFO", "WARNING", "ERROR"}};

int lowest_level() {
    const char* given = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    return given && given[0] >= '0' && given[0] <= '3' && given[1] == '\0' ? given[0] - '0' : 3;
}

bool wanted(int level) {
    const char* given = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    return given && std::string_view(given) == "1" && level >= lowest_level();
}

}  // namespace

void write_log(int level, const char* function, const char* file, std::uint32_t line, const char* text) {
    if (level < 0 || level >= static_cast<int>(level_names.size()) || !wanted(level)) return;
    std::printf("[%s] APP %s:%u %s: %s\n", level_names[static_cast<std::size_t>(level)], file ? file : "",
                static_cast<unsigned>(line), function ? function : "", text);
}

}  // namespace aclref
