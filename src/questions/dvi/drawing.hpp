/// \file
/// A family as a small drawing: squares are male, circles female, diamonds of unknown sex; a line joins
/// parents, and from it another leads to their children.
#pragma once

#include <string>
#include <vector>

#include "questions/dvi/event/findings.hpp"

namespace fastid::dvi {

/// The state of a member.
enum class MemberState { kUntyped, kTyped, kMissing, kFound };

/// \param states  the state of each member \param id  of the element, unique in its page
std::string pedigree_drawing(const fastid::dvi::Family& family, const std::vector<MemberState>& states,
                             const std::string& id);

}  // namespace fastid::dvi
