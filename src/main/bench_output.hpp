/// \file
/// The output of `fastid bench`.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/epistasis.hpp"
#include "bench/ld.hpp"
#include "bench/pair_hmm.hpp"
#include "bench/pairs.hpp"
#include "bench/roofline.hpp"
#include "bench/rows.hpp"
#include "bench/similarity.hpp"

namespace fastid::cli {

/// A table for people, up to 80 columns wide.
std::string bench_table(const bench::Report& report);

/// A line for each peak, each point and the start-up; columns that do not apply are NA.
std::string bench_tsv(const bench::Report& report);

/// The report as JSON, with the command line, the program and the time of day.
std::string bench_json(const bench::Report& report);

/// Output for the pair-HMM.
std::string bench_table(const bench::HmmReport& report);
std::string bench_tsv(const bench::HmmReport& report);
std::string bench_json(const bench::HmmReport& report);

/// Output for combinations of sites.
std::string bench_table(const std::vector<bench::EpistasisResult>& results);
std::string bench_tsv(const std::vector<bench::EpistasisResult>& results);
std::string bench_json(const std::vector<bench::EpistasisResult>& results);

/// Output for pairs of sites.
std::string bench_table(const std::vector<bench::LdResult>& results);
std::string bench_tsv(const std::vector<bench::LdResult>& results);
std::string bench_json(const std::vector<bench::LdResult>& results);

/// Output for pairs and triples of vectors.
std::string bench_table(const std::vector<bench::SimilarityResult>& results);
std::string bench_tsv(const std::vector<bench::SimilarityResult>& results);
std::string bench_json(const std::vector<bench::SimilarityResult>& results);

/// Output for pairs along the map.
std::string bench_table(const std::vector<bench::PairsResult>& results);
std::string bench_tsv(const std::vector<bench::PairsResult>& results);
std::string bench_json(const std::vector<bench::PairsResult>& results);

/// Output for the bounds of kernels, and a page.
std::string bench_table(const bench::RooflineReport& report);
std::string bench_tsv(const bench::RooflineReport& report);
std::string bench_json(const bench::RooflineReport& report);
std::string bench_html(const bench::RooflineReport& report);

/// Output for answers with many rows.
std::string bench_table(const std::vector<bench::RowsResult>& results);
std::string bench_tsv(const std::vector<bench::RowsResult>& results);
std::string bench_json(const std::vector<bench::RowsResult>& results);

}  // namespace fastid::cli
