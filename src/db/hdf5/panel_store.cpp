#include "db/hdf5/panel_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "db/hdf5/column.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kLongestName = 255;  ///< of a site or chromosome, by Panel's rules

h5::Type copy_of(hid_t type, const std::string& file) {
  return h5::Type(h5::wrote(H5Tcopy(type), file, "a type"));
}

extern "C" herr_t note_name(hid_t, const char* name, const H5L_info_t*, void* into) {
  static_cast<std::vector<std::string>*>(into)->emplace_back(name);
  return 0;
}

/// Names of the populations, in the order in which they were written, or by name where the file does not
/// record the order.
std::vector<std::string> population_names(const h5::Group& group, const std::string& file) {
  const h5::Properties list(h5::got(H5Gget_create_plist(group.get()), file, "/panel/freq"));
  unsigned order = 0;
  h5::got(H5Pget_link_creation_order(list.get(), &order), file, "/panel/freq");
  const H5_index_t index = (order & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  std::vector<std::string> names;
  hsize_t start = 0;
  h5::got(H5Literate(group.get(), index, H5_ITER_INC, &start, note_name, &names), file, "/panel/freq");
  return names;
}

std::vector<Population> read_populations(const h5::File& database, std::uint32_t n_sites,
                                         const std::string& file) {
  const h5::Group group(h5::got(H5Gopen2(database.get(), "/panel/freq", H5P_DEFAULT), file, "/panel/freq"));
  const bool has_counts =
      h5::got(H5Lexists(database.get(), "/panel/counted", H5P_DEFAULT), file, "/panel/counted") > 0;
  std::vector<Population> populations;
  for (const std::string& name : population_names(group, file)) {
    const StoredColumn column(database.get(), "/panel/freq/" + name, file);
    column.expect_rows(n_sites, "sites");
    populations.push_back({name, column.read_all<double>(H5T_IEEE_F64LE, "f64")});
    const std::string counted = "/panel/counted/" + name;
    if (has_counts && h5::got(H5Lexists(database.get(), counted.c_str(), H5P_DEFAULT), file, counted) > 0) {
      const StoredColumn counts(database.get(), counted, file);
      counts.expect_rows(n_sites, "sites");
      populations.back().counted = counts.read_all<std::uint32_t>(H5T_STD_U32LE, "u32");
    }
  }
  return populations;
}

StoredColumn site_column(const h5::File& database, const char* name, std::uint32_t n_sites,
                         const std::string& file) {
  StoredColumn column(database.get(), name, file);
  column.expect_rows(n_sites, "sites");
  return column;
}

std::vector<Site> read_sites(const h5::File& database, std::uint32_t n, const std::string& file) {
  const auto ids = site_column(database, "/panel/id", n, file).read_all_strings(kLongestName);
  const auto chroms = site_column(database, "/panel/chrom", n, file).read_all_strings(kLongestName);
  const auto pos = site_column(database, "/panel/pos", n, file).read_all<std::uint32_t>(H5T_STD_U32LE, "u32");
  const auto majors = site_column(database, "/panel/major", n, file).read_all_strings(1);
  const auto minors = site_column(database, "/panel/minor", n, file).read_all_strings(1);
  std::vector<Site> sites(n);
  for (std::size_t s = 0; s < n; ++s)
    sites[s] = {ids[s], chroms[s], pos[s], majors[s].empty() ? '\0' : majors[s][0],
                minors[s].empty() ? '\0' : minors[s][0]};
  return sites;
}

}  // namespace

h5::Group make_group(hid_t parent, const char* name, const std::string& file) {
  const h5::Properties list(h5::wrote(H5Pcreate(H5P_GROUP_CREATE), file, name));
  h5::wrote(H5Pset_link_creation_order(list.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), file,
            name);
  h5::wrote(H5Pset_obj_track_times(list.get(), false), file, name);
  return h5::Group(h5::wrote(H5Gcreate2(parent, name, H5P_DEFAULT, list.get(), H5P_DEFAULT), file, name));
}

void write_sites(hid_t group, std::span<const Site> sites, const std::string& file) {
  const h5::Session session;
  const auto write = [&](const char* name, const auto& field) {
    write_strings(
        group, name, sites.size(), [&](std::size_t s) { return field(sites[s]); }, file);
  };
  write("id", [](const Site& site) { return std::string_view(site.id); });
  write("chrom", [](const Site& site) { return std::string_view(site.chrom); });
  std::vector<std::uint32_t> pos;
  pos.reserve(sites.size());
  for (const Site& site : sites) pos.push_back(site.pos);
  write_column(group, "pos", copy_of(H5T_STD_U32LE, file), pos.data(), pos.size(), file);
  write("major", [](const Site& site) { return std::string_view(&site.major, 1); });
  write("minor", [](const Site& site) { return std::string_view(&site.minor, 1); });
}

void write_panel(const h5::File& database, const Panel& panel, const std::string& file) {
  const h5::Session session;
  const h5::Group group = make_group(database.get(), "panel", file);
  const hid_t at = group.get();
  write_sites(at, panel.sites(), file);
  const h5::Group freq = make_group(at, "freq", file);
  for (const Population& population : panel.populations())
    write_column(freq.get(), population.name, copy_of(H5T_IEEE_F64LE, file), population.minor_freq.data(),
                 population.minor_freq.size(), file);
  if (std::ranges::all_of(panel.populations(), &std::vector<std::uint32_t>::empty, &Population::counted))
    return;
  const h5::Group counted = make_group(at, "counted", file);
  for (const Population& population : panel.populations())
    if (!population.counted.empty())
      write_column(counted.get(), population.name, copy_of(H5T_STD_U32LE, file), population.counted.data(),
                   population.counted.size(), file);
}

std::string counted_sha256(const Panel& panel) {
  Sha256 hash;
  bool any = false;
  for (const Population& population : panel.populations()) {
    if (population.counted.empty()) continue;
    any = true;
    hash.update(population.name.c_str(), population.name.size() + 1);
    hash.update(population.counted.data(), population.counted.size() * sizeof population.counted[0]);
  }
  return any ? hash.hex() : std::string();
}

void check_counted(const Panel& panel, std::span<const LogRecord> log, const std::string& file) {
  if (!log.empty() && log.front().counted_sha256 == counted_sha256(panel)) return;
  throw InputError(file, "/panel/counted", "is damaged: its SHA-256 is not the one in the log",
                   "restore the database from a copy");
}

Panel read_panel(const h5::File& database, const Header& header, const std::string& file) {
  const h5::Session session;
  std::vector<Site> sites = read_sites(database, header.shape.n_sites, file);
  std::vector<Population> populations = read_populations(database, header.shape.n_sites, file);
  Panel panel(std::move(sites), std::move(populations), header.build, file);
  if (panel.sha256() != header.panel_sha256)
    throw InputError(file, "panel", "the panel is damaged: its SHA-256 is not the one that was written",
                     "restore the database from a copy");
  return panel;
}

}  // namespace fastid::db
