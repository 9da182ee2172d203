#include "questions/ld/files.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "questions/ld/plot.hpp"
#include "report/npy.hpp"

namespace fastid::ld {
namespace {

bool ends_in(const std::string& path, std::string_view suffix) {
  return ascii_lower(path).ends_with(suffix);
}

bool is_npy(const std::string& path) {
  return ends_in(path, ".npy");
}

void check_plotted(const std::string& plot, const SiteFacts& facts) {
  if (facts.sites.size() <= fastid::ld::kMostPlotted) return;
  throw UsageError(fmt::format("--plot {}: the region has {}, and a plot shows {} at most; narrow --region",
                               printable(plot), counted(facts.sites.size(), "site"),
                               fastid::ld::kMostPlotted));
}

void check_size(const std::string& matrix, std::size_t n_sites) {
  if (matrix.empty()) return;
  const double bytes = static_cast<double>(n_sites) * static_cast<double>(n_sites) * sizeof(float);
  check_room(matrix, is_npy(matrix) ? bytes : bytes / kMostCompressed,
             fmt::format("values of r2 of {0} x {0} sites", with_commas(n_sites)),
             "narrow --region, leave --matrix out, or write where there is room");
}

}  // namespace

std::vector<cli::WrittenFile> LdFileNames::written() const {
  return {{"--matrix", matrix, false, cli::Content::kMatrix}, {"--plot", plot, false}};
}

void LdFileNames::check(const LdOptions& options) const {
  if (!matrix.empty() && matrix != "-" && !is_npy(matrix) && !ends_in(matrix, ".h5") &&
      !ends_in(matrix, ".hdf5"))
    throw UsageError(fmt::format("--matrix {}: its suffix says the format: .npy for NumPy, .h5 for HDF5",
                                 printable(matrix)));
  if (!plot.empty() && plot != "-" && !ends_in(plot, ".svg"))
    throw UsageError(
        fmt::format("--plot {}: a plot is an SVG file; name it FILE.svg (rsvg-convert makes a PNG "
                    "or a PDF of it)",
                    printable(plot)));
  if (!plot.empty() && !options.region)
    throw UsageError("--plot: shows a part of a chromosome; name it with --region CHROM:BEGIN-END");
}

LdFiles::LdFiles(const LdFileNames& names) : names_(names) {
  if (is_npy(names.matrix)) npy_.emplace(names.matrix);
  if (!names.plot.empty()) plot_.emplace(names.plot);
}

void LdFiles::write(const LdSearch& search, const std::string& input) {
  const SiteFacts& facts = search.facts();
  const std::size_t n = facts.sites.size();
  if (plot_) check_plotted(names_.plot, facts);
  check_size(names_.matrix, n);
  if (npy_) npy_->write(report::npy_head(n, n));
  if (!npy_ && !names_.matrix.empty())
    hdf5_.emplace(names_.matrix, facts.sites, db::SiteMatrixWriter::Facts{facts.what(), facts.n_units});
  std::vector<float> plotted;
  search.matrix([&](std::span<const float> rows) {
    if (npy_) npy_->write(report::npy_bytes(rows));
    if (hdf5_) hdf5_->append(rows);
    if (plot_) plotted.insert(plotted.end(), rows.begin(), rows.end());
  });
  if (plot_) plot_->write(ld_plot(input, facts, plotted));
  log::note("r2 of all pairs of {}", counted(n, "site"));
}

void LdFiles::commit() {
  if (npy_) npy_->commit();
  if (hdf5_) hdf5_->finish();
  if (plot_) plot_->commit();
}

}  // namespace fastid::ld
