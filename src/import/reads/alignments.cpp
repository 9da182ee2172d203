#include "import/reads/alignments.hpp"

#include <fmt/format.h>
#include <htslib/cram.h>
#include <htslib/hfile.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/io/hts_handle.hpp"
#include "import/sibling.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kRestoreReads = "restore it from a copy, or check it with samtools quickcheck";
constexpr std::uint64_t kLookUpEvery = 4096;  // records between two looks for a signal

/// Keeps htslib from looking for a CRAM's reference sequences on servers and in caches: the search path is
/// below a device file, where no file can be, whatever name the CRAM puts in place of "%s".
void forbid_other_references() {
  [[maybe_unused]] static const bool done =
      (::setenv("REF_PATH", "/dev/null/%s", 1), ::setenv("REF_CACHE", "/dev/null/%s", 1), true);
}

/// The checksum (M5) of each contig's bases in the header; "": not stated.
std::vector<std::string> checksums_of(sam_hdr_t* header) {
  std::vector<std::string> all;
  kstring_t text = {0, 0, nullptr};
  for (int i = 0; i < sam_hdr_nref(header); ++i) {
    const bool found = sam_hdr_find_tag_id(header, "SQ", "SN", sam_hdr_tid2name(header, i), "M5", &text) == 0;
    all.push_back(found && text.s != nullptr ? ascii_lower(text.s) : "");
  }
  std::free(text.s);
  return all;
}

/// Removes from a CRAM's header where its reference lies (UR) and its checksum (M5), since htslib would open
/// what the file names. Returns false where the header is malformed.
bool forget_references(htsFile* file) {
  if (hts_get_format(file)->format != cram) return true;
  sam_hdr_t* header = cram_fd_get_header(file->fp.cram);
  if (header == nullptr) return false;
  for (int i = 0; i < sam_hdr_nref(header); ++i)
    for (const char* key : {"UR", "M5"})
      for (int removed = 1; removed != 0;) {  // a line may have a key twice
        removed = sam_hdr_remove_tag_id(header, "SQ", "SN", sam_hdr_tid2name(header, i), key);
        if (removed < 0) return false;
      }
  return true;
}

/// Fills in a list of ranges of one contig, `name`, which must outlive it.
void put_ranges(std::span<const GenomeRange> ranges, const std::string& name, hts_reglist_t& of) {
  of.reg = name.c_str();
  of.tid = ranges.front().contig;
  of.intervals = static_cast<hts_pair_pos_t*>(std::malloc(ranges.size() * sizeof(hts_pair_pos_t)));
  if (of.intervals == nullptr) throw std::bad_alloc();
  of.count = static_cast<std::uint32_t>(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) of.intervals[i] = {ranges[i].first, ranges[i].end};
  of.min_beg = ranges.front().first;
  of.max_end = ranges.back().end;
}

}  // namespace

struct Alignments::Impl {
  Impl(const Source& from, const std::string& reference, std::size_t threads)
      : name(from.name()), stem(from.stem()), path(from.from_pipe() ? "" : from.path()) {
    forbid_other_references();
    hts::Handle<hFILE> bytes = hts::open_bytes(from);
    check_length_of_header(bytes.get());
    file.reset(hts_hopen(bytes.get(), "reads", "r"));
    if (!file) refuse("", "cannot be read as aligned reads", kRestoreReads);
    bytes.release();  // NOLINT(bugprone-unused-return-value): htslib's file closes it
    if (hts_get_format(file.get())->format == cram)
      if (sam_hdr_t* const inside = cram_fd_get_header(file->fp.cram)) checksums = checksums_of(inside);
    if (!forget_references(file.get())) refuse("header", "is malformed", kRestoreReads);
    const std::string genome = reference.empty() ? "" : std::filesystem::absolute(reference).string();
    if (!genome.empty() && hts_set_fai_filename(file.get(), genome.c_str()) != 0)
      throw InputError(reference, "", "cannot be read as the reference of " + name,
                       "give its FASTA and .fai");
    if (threads > 0) hts_set_threads(file.get(), static_cast<int>(threads));
    if (hts_check_EOF(file.get()) == 0)
      refuse("end", "the end-of-file block is missing: the file is truncated", kRestoreReads);
    header.reset(sam_hdr_read(file.get()));
    if (!header) refuse("header", "is malformed or cut short", kRestoreReads);
    if (checksums.empty()) checksums = checksums_of(header.get());
    record.reset(bam_init1());
  }

  [[noreturn]] void refuse(const std::string& place, std::string_view problem, std::string_view cure) const {
    throw InputError(name, place, problem, cure);
  }

  /// Checks the length that a BAM file states for its header, since htslib allocates it. In a compressed file
  /// the length is known too late, but then the memory is not touched.
  void check_length_of_header(hFILE* bytes) const {
    constexpr std::uint32_t kMost = 256U << 20;
    std::array<unsigned char, 8> head{};  // "BAM\1", and the length, lowest byte first
    if (hpeek(bytes, head.data(), head.size()) != static_cast<ssize_t>(head.size()) ||
        std::memcmp(head.data(), "BAM\1", 4) != 0)
      return;
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length |= std::uint32_t{head[4 + i]} << (8 * i);
    if (length > kMost)
      refuse("header", fmt::format("says that it has {} bytes, more than any header", with_commas(length)),
             kRestoreReads);
  }

  std::string place() const {
    return n == 0 ? "first record"
                  : fmt::format("record {}, at {}:{}", n + 1, contig_name(last.first),
                                with_commas(static_cast<std::uint64_t>(last.second) + 1));
  }
  std::string contig_name(int contig) const {
    const char* text = sam_hdr_tid2name(header.get(), contig);
    return text == nullptr ? "*" : printable(text);
  }

  int read() {
    if (ranges) return sam_itr_multi_next(file.get(), ranges.get(), record.get());
    return sam_read1(file.get(), header.get(), record.get());
  }

  /// Checks that records are in order of position; records without a position come last.
  void check_order() {
    const std::pair<int, hts_pos_t> here(record->core.tid, record->core.pos);
    if (here < last)
      refuse(fmt::format("record {}", n),
             fmt::format("lies before {}:{}, the place of the one before it", contig_name(last.first),
                         last.second + 1),
             "sort the reads by coordinate: samtools sort");
    last = here;
  }

  std::string name, stem, path;
  std::vector<std::string> checksums;  ///< of the contigs
  std::string unknown;  ///< a contig that the reference genome does not have; "": none is known
  hts::Handle<htsFile> file;
  hts::Handle<sam_hdr_t> header;
  hts::Handle<bam1_t> record;
  hts::Handle<hts_idx_t> index;
  hts::Handle<hts_itr_t> ranges;
  std::uint64_t n = 0;  ///< records read
  std::pair<int, hts_pos_t> last{0, -1};
};

Alignments::Alignments(const Source& source, const std::string& reference, std::size_t threads)
    : impl_(std::make_unique<Impl>(source, reference, threads)) {
  const sam_hdr_t* header = impl_->header.get();
  for (int i = 0; i < sam_hdr_nref(header); ++i) {
    const char* name = sam_hdr_tid2name(header, i);
    contigs_.push_back({name, normal_chromosome(name), static_cast<std::uint64_t>(sam_hdr_tid2len(header, i)),
                        static_cast<std::size_t>(i) < impl_->checksums.size()
                            ? impl_->checksums[static_cast<std::size_t>(i)]
                            : ""});
  }
  if (contigs_.empty())
    impl_->refuse("header", "names no chromosome (@SQ)", "align the reads to a genome first: bwa mem");
}

Alignments::~Alignments() = default;

void Alignments::note_unknown(const std::string& contig) {
  if (impl_->unknown.empty()) impl_->unknown = contig;
}

std::string Alignments::sample() const {
  std::set<std::string> names;
  sam_hdr_t* header = impl_->header.get();
  kstring_t text = {0, 0, nullptr};
  for (int i = 0; i < sam_hdr_count_lines(header, "RG"); ++i)
    if (sam_hdr_find_tag_pos(header, "RG", i, "SM", &text) == 0 && text.l > 0) names.insert(text.s);
  std::free(text.s);
  if (names.size() > 1)
    impl_->refuse(
        "header",
        fmt::format("has read groups of {}, '{}' and '{}' among them", counted(names.size(), "sample"),
                    printable(*names.begin()), printable(*names.rbegin())),
        "cut it by read group: samtools split");
  return names.empty() ? impl_->stem : *names.begin();
}

GenomeBuild Alignments::build() const {
  for (const Contig& contig : contigs_)
    if (const GenomeBuild build = build_of_length(contig.chrom, contig.length);
        build != GenomeBuild::kUnknown)
      return build;
  return GenomeBuild::kUnknown;
}

void Alignments::keep_to(const std::vector<GenomeRange>& wanted) {
  if (impl_->path.empty() || wanted.empty()) return;
  for (const std::string& beside : files_beside(impl_->path)) check_regular(beside);
  const std::string absolute = std::filesystem::absolute(impl_->path);
  impl_->index.reset(sam_index_load3(impl_->file.get(), absolute.c_str(), nullptr, HTS_IDX_SILENT_FAIL));
  if (!impl_->index) return log::detail("{}: no index beside it, so all of it is read", impl_->name);
  std::vector<std::span<const GenomeRange>> by_contig;
  for (std::size_t i = 0, end = 0; i < wanted.size(); i = end) {
    for (end = i; end < wanted.size() && wanted[end].contig == wanted[i].contig;) ++end;
    by_contig.push_back(std::span(wanted).subspan(i, end - i));
  }
  const auto free_list = [n = by_contig.size()](hts_reglist_t* list) {
    hts_reglist_free(list, static_cast<int>(n));
  };
  std::unique_ptr<hts_reglist_t[], decltype(free_list)> list(
      static_cast<hts_reglist_t*>(std::calloc(by_contig.size(), sizeof(hts_reglist_t))), free_list);
  if (!list) throw std::bad_alloc();
  for (std::size_t k = 0; k < by_contig.size(); ++k)
    put_ranges(by_contig[k], contigs_[static_cast<std::size_t>(by_contig[k].front().contig)].name, list[k]);
  // The iterator owns the list from now on.
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
  impl_->ranges.reset(sam_itr_regions(impl_->index.get(), impl_->header.get(), list.release(),
                                      static_cast<unsigned>(by_contig.size())));
  if (!impl_->ranges)
    throw InputError(impl_->name, "index", "does not fit the file", "make it anew: samtools index");
}

const bam1_t* Alignments::next() {
  Impl& impl = *impl_;
  for (;;) {
    if (impl.n % kLookUpEvery == 0) check_interrupt();
    const int got = impl.read();
    if (got == -1) break;
    const bool is_cram = hts_get_format(impl.file.get())->format == cram;
    if (got < -1 && is_cram && !impl.unknown.empty())
      impl.refuse(
          impl.place(),
          fmt::format(
              "cannot be read: the header names '{}', which --reference does not have, or it is damaged",
              printable(impl.unknown)),
          "name the genome that it was made with by --reference");
    if (got < -1 && is_cram)
      impl.refuse(impl.place(), "is damaged, or of reads that are aligned to another genome than --reference",
                  "name the genome that it was made with, or restore it from a copy");
    if (got < -1) impl.refuse(impl.place(), "is damaged, or the file is cut short", kRestoreReads);
    ++impl.n;
    const bam1_core_t& core = impl.record->core;
    if (core.tid < 0 || core.pos < 0) continue;
    if (core.tid >= static_cast<int>(contigs_.size())) impl.refuse(impl.place(), "is damaged", kRestoreReads);
    impl.check_order();
    return impl.record.get();
  }
  return nullptr;
}

}  // namespace fastid::imports
