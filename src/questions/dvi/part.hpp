/// \file
/// What a shard of `fastid dvi` has found: the first figures of some neighbouring families.
#pragma once

#include "part/part_set.hpp"
#include "questions/dvi/event/event.hpp"

namespace fastid::dvi {

void add_first_figures(part::Writer& to, const fastid::dvi::FirstFigures& figures, std::size_t n_remains);

/// Those of all families, of parts whose shards have families by share_of(). \throws InputError: a part is
/// damaged, or says what cannot be
fastid::dvi::FirstFigures first_figures(const part::PartSet& parts, const fastid::dvi::Event& event);

}  // namespace fastid::dvi
