// Files that fail among others.
#include "import/in_order.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using ::testing::ElementsAre;

TEST(InOrder, AFileThatChangesWhileItIsReadFailsAlone) {
  const testing::TempFolder folder;
  std::vector<std::string> files;
  for (const char* const name : {"a.vcf", "b.vcf", "c.vcf"})
    files.push_back(folder.write(name, testing::vcf_text(name, {"1 101 rs1 A G . . . GT 0/1"})));
  ImportOptions options;
  options.encoding = Encoding::kAlleles;
  std::vector<std::size_t> taken, failed;
  ImportSteps steps;
  steps.check = [&](const ImportedProfiles& of) {
    if (of.file == files[1]) std::ofstream(of.file, std::ios::app) << "\n";
  };
  steps.take = [&](std::size_t file, const ImportedProfiles& of) {
    EXPECT_FALSE(of.sha256.get().empty());
    taken.push_back(file);
  };
  steps.failed = [&](std::size_t file, const std::exception_ptr& problem) {
    EXPECT_THROW(std::rethrow_exception(problem), InputError);
    failed.push_back(file);
  };
  ThreadPool pool(2);
  import_in_order(files, testing::plain_panel(1), options, pool, steps);
  EXPECT_THAT(taken, ElementsAre(0u, 2u));
  EXPECT_THAT(failed, ElementsAre(1u));
}

}  // namespace
}  // namespace fastid::imports
