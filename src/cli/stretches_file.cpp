#include "cli/stretches_file.hpp"

#include "base/text.hpp"

namespace fastid::cli {

void StretchesFile::add_option(Command command) {
  command
      .add_option("--segments", path_,
                  "Write the stretches of chromosomes that each listed pair shares: a line each (.tsv), or "
                  "painted chromosomes of the first 100 pairs (.svg, .html)")
      .value_name("FILE");
}

WrittenFile StretchesFile::written() const {
  return {.option = "--segments", .path = path_};
}

void StretchesFile::open() {
  if (!asked()) return;
  out_ = std::make_unique<imports::TextOutput>(path_);
  if (!is_painted()) out_->begin_with(report::stretches_head());
}

bool StretchesFile::is_painted() const {
  return path_.ends_with(".svg") || path_.ends_with(".html");
}

void StretchesFile::add(const match::MatchTable& matches) {
  if (out_ == nullptr) return;
  for (const match::QueryMatches& query : matches.queries)
    for (const match::MatchRow& row : query.rows)
      if (row.kin && row.kin->linked) add(query.name, row.profile, row.kin->relation, *row.kin->linked);
}

void StretchesFile::add(std::span<const match::NamedPair> pairs) {
  if (out_ == nullptr) return;
  for (const match::NamedPair& of : pairs)
    if (of.pair.linked) add(of.first, of.second, of.pair.relation, of.pair.linked->figures);
}

void StretchesFile::add(const std::string& first, const std::string& second, const std::string& relation,
                        const match::LinkedFigures& figures) {
  if (!figures.stretches || !figures.shared) return;
  if (!is_painted())
    out_->write(report::stretch_lines(first, second, *figures.stretches));
  else if (painted_.size() == kMostPainted)
    ++left_out_;
  else
    painted_.push_back({first, second, relation, *figures.shared, *figures.stretches});
}

void StretchesFile::commit(const match::MapFacts& map) {
  if (out_ == nullptr) return;
  if (is_painted())
    out_->write(path_.ends_with(".svg") ? report::stretches_picture(map, painted_, left_out_)
                                        : report::stretches_page(map, painted_, left_out_));
  out_->commit();
}

}  // namespace fastid::cli
