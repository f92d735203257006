// Argument lists: what a program appends parameter by parameter, in the library's memory or in its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/binary.hpp"
#include "kernels/launch.hpp"

namespace aclref::kernels {

inline constexpr std::size_t most_parameters = 128;

/// One parameter of a list; its address is the caller's handle of it.
struct ListedParameter {
    std::uint64_t offset;
    std::uint64_t size;
    std::uint64_t data_offset;  ///< of a placeholder: its memory among the arguments; 0 while it has none
    std::uint64_t placeholder;
};

/// Lies in the memory behind the caller's handle, which may be the caller's own.
struct ArgumentList {
    std::uint64_t magic;
    aclrtFuncHandle function;
    std::byte* data;
    std::uint64_t capacity;
    std::uint64_t used;        ///< bytes of parameters, from the front
    std::uint64_t data_begin;  ///< where the memory of placeholders begins; it grows from the end
    std::uint64_t count;
    std::uint64_t complete;
    ListedParameter parameters[most_parameters];
};

/// Bytes that a list needs for arguments of so many.
std::size_t argument_memory(std::size_t user_bytes);

/// A list in the library's memory, which lives as long as the function's binary.
aclError make_list(aclrtFuncHandle function, aclrtArgsHandle& out);
/// A list in the caller's memory.
aclError make_list_in(aclrtFuncHandle function, aclrtArgsHandle where, void* data, std::size_t capacity);

/// The list behind a handle; null with a recorded code for memory that holds none.
ArgumentList* find_list(aclrtArgsHandle handle, aclError& code);
/// A parameter of a list by its handle; null with a recorded code.
ListedParameter* find_parameter(ArgumentList& list, aclrtParamHandle handle, aclError& code);

aclError append(ArgumentList& list, const void* value, std::size_t size, aclrtParamHandle& out);
aclError append_placeholder(ArgumentList& list, aclrtParamHandle& out);
/// Memory for what a placeholder points at.
aclError give_memory(ArgumentList& list, ListedParameter& parameter, std::size_t size, void*& out);
aclError update(ArgumentList& list, ListedParameter& parameter, const void* value, std::size_t size);

/// The arguments as they are now.
aclError read_arguments(const ArgumentList& list, Arguments& out);

}  // namespace aclref::kernels
