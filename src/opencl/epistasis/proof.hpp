/// \file
/// A device must find what the definition finds in a small cohort before a program for epistasis is used.
#pragma once

#include <functional>
#include <string>

#include "engine/epistasis.hpp"
#include "opencl/epistasis/program.hpp"

namespace fastid::opencl {

/// \param name  of the device, in messages \param find  finds all combinations of a problem on the device
/// \throws KernelFault where they are others than the definition's; what `find` throws
void prove_epistasis(
    const std::string& name, const EpistasisShape& shape,
    const std::function<void(const engine::EpistasisProblem&, engine::BestCombinations&)>& find);

}  // namespace fastid::opencl
