#include "questions/dvi/files.hpp"

#include <algorithm>

#include "questions/dvi/print.hpp"

namespace fastid::cli {

VictimsFiles::VictimsFiles() {
  files_.push_back(
      {"--matrix", report::victims_matrix, "The ratios of all people with all missing members, as tsv"});
  files_.push_back({"--people", report::victims_people, "Who was pooled of which remains, as tsv"});
  files_.push_back({"--assignments", report::victims_assignments,
                    "The most probable assignments of what is not undisputed, as tsv"});
  files_.push_back({"--families", report::victims_families,
                    "How well each member fits the family, and with --power what can be found, as tsv"});
}

void VictimsFiles::add_options(Command command) {
  for (File& file : files_) command.add_option(file.option, file.path, file.help).value_name("FILE");
}

bool VictimsFiles::any() const {
  return std::ranges::any_of(files_, [](const File& file) { return !file.path.empty(); });
}

std::vector<WrittenFile> VictimsFiles::written() const {
  std::vector<WrittenFile> written;
  for (const File& file : files_)
    if (!file.path.empty()) written.push_back({.option = file.option, .path = file.path, .format = "tsv"});
  return written;
}

void VictimsFiles::open() {
  for (File& file : files_)
    if (!file.path.empty()) file.out = std::make_unique<TextOutput>(file.path);
}

void VictimsFiles::write(const victims::Table& found) {
  for (const File& file : files_)
    if (file.out != nullptr) file.out->write(file.text(found));
}

void VictimsFiles::commit() {
  for (const File& file : files_)
    if (file.out != nullptr) file.out->commit();
}

}  // namespace fastid::cli
