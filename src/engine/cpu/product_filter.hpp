/// \file
/// Which products pass a filter, several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/similarity.hpp"

namespace fastid::engine {

/// Which of a row's first products pass, by the same operations as ProductFilter::passes().
/// \param row  its place in the rectangle \param products  of the row with the first columns
/// \param places  receives the places of the columns, ascending; as long as `products` \returns how many
std::size_t find_passing(const ProductFilter& filter, std::size_t row, std::span<const double> products,
                         std::uint32_t* places);

}  // namespace fastid::engine
