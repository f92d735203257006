// A small JSON reader: what aclInit's configuration file needs, with the documented limit on nesting.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aclref {

class Json {
public:
    enum class Kind { null, boolean, number, text, array, object };

    Kind kind = Kind::null;
    bool boolean = false;
    double number = 0;
    std::string text;  ///< a text's content, or a number as it was written
    std::vector<Json> items;
    std::map<std::string, Json> members;

    /// The member of an object, null when this is no object or has no such member.
    const Json* find(const std::string& name) const;
    /// The content of a text or the spelling of a number; nullopt for everything else.
    std::optional<std::string> scalar() const;
};

/// Reads a whole document. nullopt when it is not well-formed, or when more than `depth` braces or more than `depth`
/// brackets stand inside each other; `why` then says so.
std::optional<Json> parse_json(std::string_view document, int depth, std::string& why);

}  // namespace aclref
