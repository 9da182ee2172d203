#include "asking/compared_by.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"

namespace fastid::asking {

const match::QuerySource* without_alleles(const match::Queries& queries) {
  const auto first = std::ranges::find(queries.sources, Encoding::kMinor, &match::QuerySource::encoding);
  return first == queries.sources.end() ? nullptr : &*first;
}

Encoding compared_by(const SearchOptions& options, const db::Reader& reader, const match::Queries& queries,
                     const match::Queries& known) {
  if (options.by == Encoding::kMinor) return Encoding::kMinor;
  const bool demanded = options.by == Encoding::kAlleles;
  if (reader.shape().encoding == Encoding::kMinor) {
    if (demanded)
      throw InputError(reader.path(), "", "says only where a minor allele was seen, not which alleles were",
                       "build it with --encoding alleles, or leave --by alleles out");
    log::detail("compared by bits: {} says only where a minor allele was seen", reader.path());
    return Encoding::kMinor;
  }
  const match::QuerySource* lacking = without_alleles(queries);
  if (lacking == nullptr) lacking = without_alleles(known);
  if (lacking == nullptr) return Encoding::kAlleles;
  if (demanded)
    throw InputError(display_name(lacking->file), "",
                     "says only where a minor allele was seen, not which alleles were",
                     "give a file with genotypes, or leave --by alleles out");
  log::warn("{}: says only where a minor allele was seen, so that all is compared by bits, which weigh less",
            display_name(lacking->file));
  return Encoding::kMinor;
}

}  // namespace fastid::asking
