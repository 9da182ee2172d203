#include "opencl/run_model.hpp"

#include <algorithm>

#include "model/transfer.hpp"

namespace fastid {

model::DeviceTraits traits_of(const KernelConfig& config, model::Source source) {
  model::DeviceTraits traits;
  for (const model::TraitName& trait : model::trait_names()) {
    const auto number = std::ranges::find(config_numbers(), trait.header, &ConfigNumber::name);
    if (number == config_numbers().end() || number->in_shape || config.*number->value == 0) continue;
    (traits.*trait.value).learn(config.*number->value * trait.scale, source);
  }
  return traits;
}

model::DeviceTraits run_traits(const KernelConfig* config, bool uploads) {
  model::DeviceTraits traits;
  traits.upload_pinned.learn(model::kUnknownUpload, model::Source::kKnown);
  traits.upload_seconds.learn(model::kUnknownUploadSeconds, model::Source::kKnown);
  if (config != nullptr) traits = model::merged(traits, traits_of(*config, model::Source::kKnown));
  if (!uploads) traits.upload_pinned = traits.upload_seconds = {};
  return traits;
}

model::Workload workload_of(const Problem& problem) {
  return {problem.queries->n_rows(), problem.database.n_profiles, problem.database.n_sites,
          problem.has_called ? 2u : 1u};
}

}  // namespace fastid
