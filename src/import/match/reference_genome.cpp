#include "import/match/reference_genome.hpp"

#include <htslib/faidx.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "import/io/hts_handle.hpp"
#include "panel/panel.hpp"

namespace fastid {
namespace {

struct CloseIndex {
  void operator()(faidx_t* index) const { fai_destroy(index); }
};
struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

struct ReferenceGenome::Impl {
  std::string path;
  std::unique_ptr<faidx_t, CloseIndex> index;
  std::map<std::string, std::string, std::less<>> names;  ///< normal_chromosome() -> as the file has it
};

ReferenceGenome::ReferenceGenome(const std::string& path) : impl_(std::make_unique<Impl>()) {
  hts::silence();
  open_for_reading(path);  // reports why it cannot be read
  impl_->path = path;
  const std::string absolute = std::filesystem::absolute(path);  // never taken for a network address
  impl_->index.reset(fai_load3(absolute.c_str(), nullptr, nullptr, 0));
  if (!impl_->index)
    throw InputError(path, "", "is no FASTA file with an index beside it",
                     "make one: samtools faidx " + path);
  for (int i = 0; i < faidx_nseq(impl_->index.get()); ++i) {
    const char* name = faidx_iseq(impl_->index.get(), i);
    impl_->names.try_emplace(normal_chromosome(name), name);
  }
}

ReferenceGenome::~ReferenceGenome() = default;

char ReferenceGenome::base(std::string_view chrom, std::uint32_t pos) {
  const auto name = impl_->names.find(chrom);
  if (name == impl_->names.end() || pos == 0) return 0;
  hts_pos_t length = 0;
  const hts_pos_t at = static_cast<hts_pos_t>(pos) - 1;
  const std::unique_ptr<char, FreeText> text(
      faidx_fetch_seq64(impl_->index.get(), name->second.c_str(), at, at, &length));
  if (length == -1)
    throw InputError(impl_->path, name->second, "cannot be read", "restore it and its index from one copy");
  if (!text || length != 1) return 0;
  const char base = ascii_upper({text.get(), 1})[0];
  return complement(base) == 0 ? char{0} : base;
}

}  // namespace fastid
