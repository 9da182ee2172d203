// Writes a small database, and the same people as letters, for check_with_h5py.py to compare.
//   write_example DB LETTERS N_PROFILES N_SITES NO_CALL_RATE minor|alleles
#include <cstdlib>
#include <fstream>

#include "unit/db/db_testing.hpp"

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const bool alleles = std::string(argv[6]) == "alleles";
  auto people = fastid::db::testing::random_people(
      std::strtoul(argv[3], nullptr, 10), std::strtoul(argv[4], nullptr, 10), std::atof(argv[5]), 20);
  if (alleles) people = fastid::db::testing::with_homozygotes(std::move(people));
  fastid::db::testing::build(argv[1], people, 32, 2,
                             alleles ? fastid::Encoding::kAlleles : fastid::Encoding::kMinor);
  std::ofstream letters(argv[2]);
  for (const std::string& person : people) letters << person << '\n';
  return letters.good() ? 0 : 1;
}
