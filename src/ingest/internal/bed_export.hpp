/// \file
/// Profiles as a PLINK 1 fileset: PREFIX.bed, PREFIX.bim and PREFIX.fam.
///
///   .bed   6c 1b 01, then for each site ceil(n / 4) bytes: two bits per profile, the first in the low bits
///          00 a minor allele alone (homozygous)   01 not called   10 both alleles   11 a major allele alone
///   .bim   chromosome, id, 0, position, minor allele (allele 1), major allele (allele 2)
///   .fam   0, id, 0, 0, 0, -9: family, parents, sex and phenotype are not known
#pragma once

#include <string>
#include <vector>

#include "ingest/internal/selection.hpp"

namespace fastid::ingest {

/// The .fam, the .bim and, last, the .bed for `output`, which is the .bed or the prefix.
std::vector<std::string> bed_files(const std::string& output);

/// Writes the three files, which appear together or not at all. Memory does not grow with the number of
/// profiles.
/// \param name  the database, for messages
/// \throws InputError: the encoding is kMinor, or an id cannot stand in a .fam; Failure.
void export_bed(const std::string& name, const Panel& panel, const Selection& selection,
                const std::string& output);

}  // namespace fastid::ingest
