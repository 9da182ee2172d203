// What the tests of the database share: people as one letter a site, and databases made of them. The letters
// are the oracle: nothing here packs words.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "support/temp_folder.hpp"

namespace fastid::db::testing {

/// people[i][s]: '0' no minor allele, '1' at least one, '-' not called. In a database of Encoding::kAlleles
/// '1' is one of each, and '2' no major one.
using People = std::vector<std::string>;

inline People random_people(std::size_t n, std::size_t sites, double no_call_rate, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  People people(n, std::string(sites, '0'));
  for (std::string& person : people)
    for (char& site : person) site = unit(random) < no_call_rate ? '-' : (unit(random) < 0.4 ? '1' : '0');
  return people;
}

/// The same people with every second '1' a '2'.
inline People with_homozygotes(People people) {
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t s = 0; s < people[i].size(); ++s)
      if (people[i][s] == '1' && (i + s) % 2 == 0) people[i][s] = '2';
  return people;
}

inline BitBlocks pack(const People& people, std::size_t first, std::size_t n,
                      Encoding encoding = Encoding::kMinor) {
  BitBlocks blocks({n, static_cast<std::uint32_t>(people[0].size()), encoding});
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t s = 0; s < people[first + i].size(); ++s) {
      const char letter = people[first + i][s];
      if (letter != '-')
        blocks.set_seen(i, s, letter == '0' ? kMajorSeen : letter == '1' ? kBothSeen : kMinorSeen);
    }
  return blocks;
}

inline std::vector<std::string> ids_of(std::size_t n) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < n; ++i) ids.push_back("person-" + std::to_string(i));
  return ids;
}

inline Panel make_panel(std::uint32_t n_sites) {
  std::vector<Site> sites;
  Population second{"YRI", {}}, first{"CEU.2", {}};  // their order is not that of their names
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    sites.push_back({"rs" + std::to_string(100 + s), s % 5 == 4 ? "X" : std::to_string(1 + s % 22),
                     1000 + 7 * s, "ACGT"[s % 4], "CATG"[s % 4]});
    second.minor_freq.push_back(1.0 / (3 + s));
    first.minor_freq.push_back(0.1 + 0.5 / (1 + s));
  }
  return Panel(std::move(sites), {second, first}, GenomeBuild::kGRCh37, "test");
}

using Folder = fastid::testing::TempFolder;

inline void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Writes a database, `batch` profiles an append.
inline void build(const std::string& path, const People& people, std::size_t batch = 1024,
                  std::size_t chunk_blocks = 0, Encoding encoding = Encoding::kMinor) {
  const auto ids = ids_of(people.size());
  Writer writer(path, make_panel(static_cast<std::uint32_t>(people[0].size())),
                {.encoding = encoding, .chunk_blocks = chunk_blocks});
  for (std::size_t first = 0; first < people.size(); first += batch) {
    const std::size_t n = std::min(batch, people.size() - first);
    const BitBlocks blocks = pack(people, first, n, encoding);
    writer.append(std::span(ids).subspan(first, n), blocks.view());
  }
  writer.finish({.action = "build",
                 .command = "fastid db build",
                 .created_by = "",
                 .utc = "",
                 .inputs = {{"people.vcf", "00ff", people.size()}}});
}

/// Reads profiles back as letters, `step` blocks at a time.
inline People letters_of(const Reader& db, std::size_t step) {
  const BlockShape shape = db.shape();
  WordBuffer bits(shape.n_blocks() * shape.block_words()), second(db.has_second() ? bits.size() : 0);
  for (std::uint64_t first = 0; first < shape.n_blocks(); first += step) {
    const std::uint64_t n = std::min<std::uint64_t>(step, shape.n_blocks() - first);
    db.read(first, n, bits.data() + first * shape.block_words(),
            db.has_second() ? second.data() + first * shape.block_words() : nullptr);
  }
  People people(shape.n_profiles, std::string(shape.n_sites, '-'));
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t s = 0; s < shape.n_sites; ++s) {
      const std::size_t word = i / 32 * shape.n_words() * 32 + s / 32 * 32 + i % 32;
      const bool minor = (bits.data()[word] >> s % 32 & 1) != 0;
      const bool in_second = !db.has_second() || (second.data()[word] >> s % 32 & 1) != 0;
      if (shape.encoding == Encoding::kAlleles)
        people[i][s] = minor ? (in_second ? '1' : '2') : in_second ? '0' : '-';
      else if (in_second)
        people[i][s] = minor ? '1' : '0';
    }
  return people;
}

}  // namespace fastid::db::testing
