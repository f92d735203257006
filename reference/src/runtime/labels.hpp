// Labels: marks in the streams of a model instance that branches jump to.
#pragma once

#include <cstddef>
#include <vector>

namespace aclref {

inline constexpr std::size_t most_labels = 65535;  ///< of a process

/// A new label, null when there are too many.
void* create_label();
bool destroy_label(void* label);
bool is_label(const void* label);

void* create_label_list(std::vector<void*> labels);
bool destroy_label_list(void* list);
/// The labels of a list, empty when there is no such list.
std::vector<void*> label_list(const void* list);

/// Labels and lists alive, for the leak check.
std::size_t label_count();

void forget_labels();

}  // namespace aclref
