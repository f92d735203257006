#include "base/profile.hpp"

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/faults/runtime.hpp"

namespace aclref {

namespace {

constexpr std::size_t GiB = std::size_t{1} << 30;
constexpr double GB = 1e9;

/// What a product is by default. Links are the negotiated host links of public reports, one direction.
struct ProductDefaults {
    Product product;
    const char* soc;
    std::size_t memory_bytes;  ///< 0: what the contract says for the SoC
    bool has_hbm;
    double link;
    double latency;
    double device;
};

constexpr ProductDefaults defaults[] = {
    {Product::p950, "Ascend950PR_9589", 0, true, 63.0 * GB, 8e-6, 1400 * GB},
    {Product::A3, "Ascend910_9392", 0, true, 110.0 * GB, 8e-6, 1538 * GB},
    {Product::p910b, "Ascend910B3", 0, true, 31.5 * GB, 8e-6, 1538 * GB},
    {Product::p310b, "Ascend310B1", 0, false, 7.88 * GB, 11e-6, 40 * GB},
    {Product::p310p, "Ascend310P3", 0, false, 7.88 * GB, 11e-6, 160 * GB},
    {Product::p910, "Ascend910A", 32 * GiB, true, 31.5 * GB, 10e-6, 900 * GB},
    {Product::IPV350, "Ascend035", 4 * GiB, false, 7.88 * GB, 11e-6, 25 * GB},
};

const SocFacts* find_soc(std::string_view name, Product product) {
    for (const SocFacts& facts : soc_facts)
        if (facts.product == product && name == facts.name) return &facts;
    return nullptr;
}

Profile default_profile(Product product) {
    Profile made;
    made.product = product;
    for (const ProductDefaults& given : defaults) {
        if (given.product != product) continue;
        made.soc_name = given.soc;
        made.memory_bytes = given.memory_bytes ? given.memory_bytes : find_soc(given.soc, product)->memory_bytes;
        made.has_hbm = given.has_hbm;
        made.link_bytes_per_second = given.link;
        made.link_latency_seconds = given.latency;
        made.device_bytes_per_second = given.device;
    }
    return made;
}

std::optional<Product> parse_product(std::string_view text) {
    for (std::size_t index = 0; index < product_keys.size(); ++index)
        if (text == product_keys[index]) return static_cast<Product>(index);
    return std::nullopt;
}

std::optional<Form> parse_form(std::string_view text) {
    if (text == "EP") return Form::EP;
    if (text == "RC") return Form::RC;
    if (text == "ccpu") return Form::ccpu;
    return std::nullopt;
}

bool parse_whole(std::string_view text, std::uint64_t& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool parse_real(std::string_view text, double& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(out) && out > 0;
}

bool parse_size(std::string_view text, std::uint64_t& out) {
    unsigned shift = 0;
    constexpr std::pair<std::string_view, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    for (auto [unit, bits] : units)
        if (text.ends_with(unit)) {
            shift = bits;
            text.remove_suffix(unit.size());
        }
    if (!parse_whole(text, out) || out == 0 || out > (~std::uint64_t{0} >> shift)) return false;
    out <<= shift;
    return true;
}

bool parse_version(std::string_view text, Version& out) {
    std::size_t dot = text.find('.');
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    if (!parse_whole(text.substr(0, dot), major)) return false;
    if (dot != std::string_view::npos && !parse_whole(text.substr(dot + 1), minor)) return false;
    if (major > 99 || minor > 99) return false;
    out = {static_cast<int>(major), static_cast<int>(minor)};
    return true;
}

bool set_key(Profile& made, std::string_view key, std::string_view value) {
    std::uint64_t number = 0;
    if (key == "form") {
        auto form = parse_form(value);
        if (!form) return false;
        made.form = *form;
        return true;
    }
    if (key == "cann") return parse_version(value, made.cann);
    if (key == "soc") {
        const SocFacts* facts = find_soc(value, made.product);
        if (!facts) return false;
        made.soc_name = facts->name;
        if (facts->memory_bytes) made.memory_bytes = facts->memory_bytes;
        return true;
    }
    if (key == "devices") {
        if (!parse_whole(value, number) || number > 64) return false;
        made.devices = static_cast<int>(number);
        return true;
    }
    if (key == "memory") {
        if (!parse_size(value, number)) return false;
        made.memory_bytes = number;
        return true;
    }
    if (key == "seed") return parse_whole(value, made.seed);
    if (key == "timing") {
        made.timing = value == "on";
        return value == "on" || value == "off";
    }
    if (key == "link") return parse_real(value, made.link_bytes_per_second);
    if (key == "latency") return parse_real(value, made.link_latency_seconds);
    if (key == "jitter") return parse_real(value, made.jitter) && made.jitter <= 0.5;
    if (key == "device") return parse_real(value, made.device_bytes_per_second);
    return false;
}

struct KeyValue {
    std::string_view key;
    std::string_view value;
};

std::vector<KeyValue> split(std::string_view spec) {
    std::vector<KeyValue> out;
    while (!spec.empty()) {
        std::size_t end = spec.find(';');
        std::string_view item = spec.substr(0, end);
        spec.remove_prefix(end == std::string_view::npos ? spec.size() : end + 1);
        if (item.empty()) continue;
        std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) out.push_back({item, ""});
        else out.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
    return out;
}

bool has_form(Product product, Form form) {
    return product_forms[static_cast<std::size_t>(product)] >> static_cast<unsigned>(form) & 1;
}

/// What the product has, less what this host form refuses.
std::bitset<function_count> supported_functions(Product product, Form form) {
    std::bitset<function_count> out;
    for (std::size_t index = 0; index < function_count; ++index)
        out[index] = function_products[index] >> static_cast<unsigned>(product) & 1;
    for (const FormRefusal& refusal : form_refusals)
        if (refusal.product == product && (refusal.form >> static_cast<unsigned>(form) & 1))
            out.reset(static_cast<std::size_t>(refusal.function));
    return out;
}

bool parse_profile(std::string_view spec, Profile& out, std::string& why) {
    auto items = split(spec);
    Product product = Product::p910b;
    for (const KeyValue& item : items) {
        if (item.key != "product") continue;
        auto parsed = parse_product(item.value);
        if (!parsed) {
            why = "unknown product '" + std::string(item.value) + "'";
            return false;
        }
        product = *parsed;
    }
    Profile made = default_profile(product);
    for (const KeyValue& item : items) {
        if (item.key == "product" || set_key(made, item.key, item.value)) continue;
        why = "unknown key or value '" + std::string(item.key) + "=" + std::string(item.value) + "'";
        return false;
    }
    if (!has_form(made.product, made.form)) {
        why = "product " + std::string(product_keys[static_cast<std::size_t>(product)]) + " does not come in this form";
        return false;
    }
    out = std::move(made);
    return true;
}

/// The active profile and the ones before it. Old ones stay: a reader in another thread may still look at its own.
class Profiles {
public:
    Profiles() { install(default_profile(Product::p910b)); }
    const Profile& active() const { return *active_.load(std::memory_order_acquire); }
    void install(Profile made) {
        made.supported = supported_functions(made.product, made.form);
        std::lock_guard lock(mutex_);
        kept_.push_back(std::make_unique<const Profile>(std::move(made)));
        active_.store(kept_.back().get(), std::memory_order_release);
    }
    std::string complaint;

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<const Profile>> kept_;
    std::atomic<const Profile*> active_{nullptr};
};

void read_environment(Profiles& profiles) {
    if (const char* spec = std::getenv("ACLREF_PROFILE")) {
        Profile made;
        std::string why;
        if (parse_profile(spec, made, why)) profiles.install(std::move(made));
        else profiles.complaint = "ACLREF_PROFILE: " + why;
    }
    if (const char* text = std::getenv("ACLREF_SEED")) {
        Profile made = profiles.active();
        if (parse_whole(text, made.seed)) profiles.install(std::move(made));
        else profiles.complaint = "ACLREF_SEED: not a whole number";
    }
    if (const char* names = std::getenv("ACLREF_FAULT"))
        if (!select_faults(names)) profiles.complaint = "ACLREF_FAULT: unknown fault in '" + std::string(names) + "'";
}

Profiles& profiles() {
    // Never destroyed: calls from exit handlers must still find it.
    static Profiles* instance = [] {
        auto* made = new Profiles;
        read_environment(*made);
        return made;
    }();
    return *instance;
}

/// Faulty builds only: what a library must not do to the process that loads it.
void disturb_process() {
    std::signal(SIGSEGV, [](int) { std::_Exit(139); });
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

// The environment as it was at load counts, not as the program changed it later.
[[gnu::constructor]] void read_environment_at_load() {
    profiles();
    if (faulty(Fault::load_changes_process)) disturb_process();
}

}  // namespace

const SocFacts& Profile::soc() const { return *find_soc(soc_name, product); }

const Profile& profile() { return profiles().active(); }

bool configure_profile(const std::string& spec, std::string& why) {
    Profile made;
    if (!parse_profile(spec, made, why)) return false;
    profiles().install(std::move(made));
    return true;
}

bool profile_is_valid(const std::string& spec, std::string& why) {
    Profile unused;
    return parse_profile(spec, unused, why);
}

void set_profile_seed(std::uint64_t seed) {
    Profile made = profile();
    made.seed = seed;
    profiles().install(std::move(made));
}

const std::string& environment_complaint() { return profiles().complaint; }

}  // namespace aclref
