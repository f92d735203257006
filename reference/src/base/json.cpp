#include "base/json.hpp"

#include <cctype>
#include <cstdlib>

namespace aclref {

const Json* Json::find(const std::string& name) const {
    if (kind != Kind::object) return nullptr;
    auto it = members.find(name);
    return it == members.end() ? nullptr : &it->second;
}

std::optional<std::string> Json::scalar() const {
    if (kind == Kind::text || kind == Kind::number) return text;
    return std::nullopt;
}

namespace {

class Parser {
public:
    Parser(std::string_view document, int depth) : rest_(document), depth_(depth) {}

    bool document(Json& out) {
        if (!value(out)) return false;
        skip_space();
        return rest_.empty() || complain("text after the end of the document");
    }
    std::string why;

private:
    bool complain(const char* text) {
        if (why.empty()) why = text;
        return false;
    }

    void skip_space() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == '\r'))
            rest_.remove_prefix(1);
    }

    bool accept(char wanted) {
        skip_space();
        if (rest_.empty() || rest_[0] != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool word(std::string_view wanted) {
        if (!rest_.starts_with(wanted)) return complain("not a JSON value");
        rest_.remove_prefix(wanted.size());
        return true;
    }

    bool value(Json& out) {
        skip_space();
        if (rest_.empty()) return complain("the document ends too early");
        switch (rest_[0]) {
            case '{': return object(out);
            case '[': return array(out);
            case '"': out.kind = Json::Kind::text; return text(out.text);
            case 't': out.kind = Json::Kind::boolean; out.boolean = true; return word("true");
            case 'f': out.kind = Json::Kind::boolean; return word("false");
            case 'n': return word("null");
            default: return number(out);
        }
    }

    bool object(Json& out) {
        out.kind = Json::Kind::object;
        rest_.remove_prefix(1);
        if (++braces_ > depth_) return complain("too many braces inside each other");
        if (!accept('}')) {
            do {
                std::string name;
                skip_space();
                if (rest_.empty() || rest_[0] != '"' || !text(name)) return complain("a member needs a name");
                if (!accept(':')) return complain("a colon is missing");
                if (!value(out.members[name])) return false;
            } while (accept(','));
            if (!accept('}')) return complain("a brace is not closed");
        }
        --braces_;
        return true;
    }

    bool array(Json& out) {
        out.kind = Json::Kind::array;
        rest_.remove_prefix(1);
        if (++brackets_ > depth_) return complain("too many brackets inside each other");
        if (!accept(']')) {
            do {
                if (!value(out.items.emplace_back())) return false;
            } while (accept(','));
            if (!accept(']')) return complain("a bracket is not closed");
        }
        --brackets_;
        return true;
    }

    bool text(std::string& out) {
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_[0] != '"') {
            if (static_cast<unsigned char>(rest_[0]) < 0x20) return complain("a control character inside a text");
            if (rest_[0] == '\\') {
                if (!escape(out)) return false;
            } else {
                out.push_back(rest_[0]);
                rest_.remove_prefix(1);
            }
        }
        if (rest_.empty()) return complain("a text is not closed");
        rest_.remove_prefix(1);
        return true;
    }

    bool escape(std::string& out) {
        static constexpr std::string_view names = "\"\\/bfnrt";
        static constexpr std::string_view values = "\"\\/\b\f\n\r\t";
        if (rest_.size() < 2) return complain("a text is not closed");
        std::size_t at = names.find(rest_[1]);
        if (at != std::string_view::npos) {
            out.push_back(values[at]);
            rest_.remove_prefix(2);
            return true;
        }
        if (rest_[1] != 'u' || rest_.size() < 6) return complain("unknown escape");
        unsigned code = 0;
        for (char digit : rest_.substr(2, 4)) {
            if (!std::isxdigit(static_cast<unsigned char>(digit))) return complain("unknown escape");
            code = code * 16 + static_cast<unsigned>(std::isdigit(static_cast<unsigned char>(digit))
                                                         ? digit - '0'
                                                         : std::tolower(digit) - 'a' + 10);
        }
        append_utf8(out, code);
        rest_.remove_prefix(6);
        return true;
    }

    static void append_utf8(std::string& out, unsigned code) {
        if (code < 0x80) {
            out.push_back(static_cast<char>(code));
        } else if (code < 0x800) {
            out.push_back(static_cast<char>(0xC0 | code >> 6));
            out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
        } else {
            out.push_back(static_cast<char>(0xE0 | code >> 12));
            out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
            out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
        }
    }

    bool number(Json& out) {
        std::size_t length = rest_.find_first_not_of("+-.0123456789eE");
        std::string spelling(rest_.substr(0, length));
        char* end = nullptr;
        out.number = std::strtod(spelling.c_str(), &end);
        if (spelling.empty() || spelling[0] == '+' || *end != '\0') return complain("not a JSON value");
        out.kind = Json::Kind::number;
        rest_.remove_prefix(spelling.size());
        out.text = std::move(spelling);
        return true;
    }

    std::string_view rest_;
    int depth_;
    int braces_ = 0;
    int brackets_ = 0;
};

}  // namespace

std::optional<Json> parse_json(std::string_view document, int depth, std::string& why) {
    Json out;
    Parser parser(document, depth);
    if (parser.document(out)) return out;
    why = parser.why;
    return std::nullopt;
}

}  // namespace aclref
