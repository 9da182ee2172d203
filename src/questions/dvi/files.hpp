/// \file
/// The files that `fastid dvi` writes beside its result: --matrix, --people, --assignments, --families.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/file_roles.hpp"
#include "cli/options.hpp"
#include "import/text_output.hpp"
#include "questions/dvi/event/table.hpp"

namespace fastid::dvi {

class VictimsFiles {
 public:
  VictimsFiles();

  void add_options(cli::Command command);
  bool any() const;
  std::vector<cli::WrittenFile> written() const;

  /// Begins the files that are asked for. \throws Failure
  void open();
  void write(const fastid::dvi::Table& found);
  void commit();

 private:
  struct File {
    const char* option;
    std::string (*text)(const fastid::dvi::Table&);
    const char* help;
    std::string path = {};
    std::unique_ptr<imports::TextOutput> out = nullptr;  ///< null: not asked for
  };
  std::vector<File> files_;
};

}  // namespace fastid::dvi
