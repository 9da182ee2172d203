/// \file
/// --segments FILE: the stretches of chromosomes that listed pairs share, as tsv, svg or html.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "import/text_output.hpp"
#include "match/close_pair.hpp"
#include "match/match_table.hpp"
#include "report/stretches.hpp"

namespace fastid::cli {

class StretchesFile {
 public:
  void add_option(Command command);
  bool asked() const { return !path_.empty(); }
  WrittenFile written() const;

  /// Begins the file, if it is asked for. \throws Failure
  void open();
  /// Adds the pairs of a search for relatives, or some close pairs, whose stretches are there.
  void add(const match::MatchTable& matches);
  void add(std::span<const match::NamedPair> pairs);
  /// \param map  along which all of them were weighed
  void commit(const match::MapFacts& map);

 private:
  static constexpr std::size_t kMostPainted = 100;
  bool is_painted() const;
  void add(const std::string& first, const std::string& second, const std::string& relation,
           const match::LinkedFigures& figures);

  std::string path_;
  std::unique_ptr<imports::TextOutput> out_;  ///< null: not asked for
  std::vector<report::PaintedPair> painted_;
  std::size_t left_out_ = 0;
};

}  // namespace fastid::cli
