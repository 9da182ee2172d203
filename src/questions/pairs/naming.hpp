/// \file
/// From close pairs of rows to pairs as they are listed, with names and with figures for which profiles are
/// read again.
#pragma once

#include <vector>

#include "match/close_pair.hpp"
#include "questions/pairs/question.hpp"

namespace fastid::pairs {

/// The pairs, each with its profiles' names, its figures of X, Y and M, and the stretches that the two share,
/// where asked for. Within one database the earlier row is the first one. \throws InputError, Interrupted
std::vector<match::NamedPair> name_pairs(const PairQuestion& question, std::vector<match::ClosePair> pairs);

}  // namespace fastid::pairs
