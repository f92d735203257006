// Device variables: what a program built by the device compiler brings along under the address of a host symbol.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// Where a variable lies on the current device.
struct DeviceVariable {
    std::uintptr_t address = 0;
    std::size_t size = 0;
};

/// A variable of `size` bytes that begins as `initial` on every device; a null `initial` means zeros. False when the
/// symbol is null or has a variable already, or when the size is 0.
bool add_device_variable(const void* symbol, std::size_t size, const void* initial);
/// The variable and its memory on all devices go. False when there is none.
bool remove_device_variable(const void* symbol);

/// The variable on the current device, which gets it with the first call.
aclError find_device_variable(const void* symbol, DeviceVariable& out, const char* api);

/// The device's memory is released: the next call lays out the variables anew. All devices and variables for -1.
void forget_device_variables(int device);

}  // namespace aclref
