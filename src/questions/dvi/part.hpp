/// \file
/// The part of a shard of `fastid dvi`: the first figures of some neighbouring families.
#pragma once

#include "part/part_set.hpp"
#include "questions/dvi/event/event.hpp"

namespace fastid::dvi {

void add_first_figures(part::Writer& to, const fastid::dvi::FirstFigures& figures, std::size_t n_remains);

/// The first figures of all families, from parts whose shards have families by share_of(). \throws
/// InputError: a part is damaged, or its content is impossible
fastid::dvi::FirstFigures first_figures(const part::PartSet& parts, const fastid::dvi::Event& event);

}  // namespace fastid::dvi
