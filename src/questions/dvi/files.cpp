#include "questions/dvi/files.hpp"

#include <algorithm>

#include "questions/dvi/print.hpp"

namespace fastid::dvi {

VictimsFiles::VictimsFiles() {
  files_.push_back(
      {"--matrix", fastid::dvi::victims_matrix, "The ratios of all people with all missing members, as tsv"});
  files_.push_back({"--people", fastid::dvi::victims_people, "Who was pooled of which remains, as tsv"});
  files_.push_back({"--assignments", fastid::dvi::victims_assignments,
                    "The most probable assignments of what is not undisputed, as tsv"});
  files_.push_back({"--families", fastid::dvi::victims_families,
                    "How well each member fits the family, and with --power what can be found, as tsv"});
}

void VictimsFiles::add_options(cli::Command command) {
  for (File& file : files_) command.add_option(file.option, file.path, file.help).value_name("FILE");
}

bool VictimsFiles::any() const {
  return std::ranges::any_of(files_, [](const File& file) { return !file.path.empty(); });
}

std::vector<cli::WrittenFile> VictimsFiles::written() const {
  std::vector<cli::WrittenFile> written;
  for (const File& file : files_)
    if (!file.path.empty()) written.push_back({.option = file.option, .path = file.path, .format = "tsv"});
  return written;
}

void VictimsFiles::open() {
  for (File& file : files_)
    if (!file.path.empty()) file.out = std::make_unique<imports::TextOutput>(file.path);
}

void VictimsFiles::write(const fastid::dvi::Table& found) {
  for (const File& file : files_)
    if (file.out != nullptr) file.out->write(file.text(found));
}

void VictimsFiles::commit() {
  for (const File& file : files_)
    if (file.out != nullptr) file.out->commit();
}

}  // namespace fastid::dvi
