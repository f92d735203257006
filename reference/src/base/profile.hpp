// Which product, host form and CANN version the reference device plays. Product facts come from the contract.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "generated/functions.hpp"  // enum class Function, enum class Product, support tables

namespace aclref {

struct Version {
    int major;
    int minor;
    auto operator<=>(const Version&) const = default;
};

enum class Form { EP, RC, ccpu };

struct Profile {
    Product product = Product::p910b;
    Form form = Form::EP;
    Version cann{9, 0};
    std::string soc_name;
    int devices = 2;                  ///< physical devices, before the visible-device list
    std::size_t memory_bytes = 0;     ///< device memory of one device (HBM or DDR)
    bool has_hbm = true;              ///< which of the HBM_* / DDR_* figures aclrtGetMemInfo answers
    double link_bytes_per_second = 0;  ///< host link, for the timing model
    double link_latency_seconds = 0;
    double device_bytes_per_second = 0;  ///< on-device copies, for the timing model
    bool timing = false;
    double jitter = 0;                   ///< timing model: relative standard deviation of a transfer's time
    std::uint64_t seed = 0;

    /// The host CPU and the device use the same memory (RC, open control CPU): device addresses are readable.
    bool shares_memory_with_host() const { return form != Form::EP; }
    std::bitset<function_count> supported;  ///< product table less the functions refused in this form
    bool supports(Function function) const { return supported[static_cast<std::size_t>(function)]; }
    const SocFacts& soc() const;             ///< what the contract knows of `soc_name`
};

/// The active profile. Stable between two aclrefConfigure calls.
const Profile& profile();

/// Parses "product=910b;form=EP;cann=9.0;devices=2;memory=1GiB;seed=7;timing=on" over the product's defaults.
/// Further keys: soc (a SoC name of the product), link and device (bytes per second), latency (seconds), jitter (0 … 0.5).
/// Returns false with a one-line text in `why` on an unknown key or value, changing nothing.
bool configure_profile(const std::string& spec, std::string& why);

/// The same check without any effect.
bool profile_is_valid(const std::string& spec, std::string& why);

/// Changes the scheduler's seed only.
void set_profile_seed(std::uint64_t seed);

/// What was wrong with ACLREF_PROFILE, ACLREF_FAULT or ACLREF_SEED when the library was loaded; empty when nothing was.
const std::string& environment_complaint();

}  // namespace aclref
