// A kernel binary as bytes: an ELF object of a machine of our own. Its functions are programs, its objects are global
// variables.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/program.hpp"

namespace aclref::kernels {

/// A named part of the file.
struct Part {
    std::size_t offset = 0;
    std::size_t size = 0;
};

struct Code : Part {
    Program program;
};

struct Image {
    std::vector<std::byte> bytes;
    std::map<std::string, Code> functions;
    std::map<std::string, Part> globals;
};

/// Reads a binary. 0, or a recorded code for bytes that are none, or none for this product.
aclError read_image(std::vector<std::byte> bytes, Image& out);

}  // namespace aclref::kernels
