/// \file
/// What a shard of `fastid dvi` has found: the first figures of some neighbouring families.
#pragma once

#include "part/part_set.hpp"
#include "questions/dvi/event/event.hpp"

namespace fastid::part {

void add_first_figures(Writer& to, const victims::FirstFigures& figures, std::size_t n_remains);

/// Those of all families, of parts whose shards have families by share_of(). \throws InputError: a part is
/// damaged, or says what cannot be
victims::FirstFigures first_figures(const PartSet& parts, const victims::Event& event);

}  // namespace fastid::part
