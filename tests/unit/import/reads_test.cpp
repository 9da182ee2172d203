// Aligned reads in each container of htslib's, with and without an index; what is refused; and what mates,
// known variants and another genome come to. The model itself is held to Python's
// (tests/oracle/reads_test.py).
#include "import/reads.hpp"

#include <gmock/gmock.h>
#include <htslib/faidx.h>
#include <htslib/sam.h>

#include <filesystem>
#include <memory>
#include <random>

#include "base/error.hpp"
#include "import/match/reference_genome.hpp"
#include "import/reads/genotype.hpp"
#include "import/reads/known_variants.hpp"
#include "import/reads/observations.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::imports {
namespace {

using ::testing::HasSubstr;
using testing::refusal;
using testing::TempFolder;

constexpr std::uint32_t kLength = 6000, kSpacing = 40, kSites = 140;

std::string made_genome() {
  std::mt19937 random(3);
  std::string genome;
  for (std::uint32_t i = 0; i < kLength; ++i) genome += "ACGT"[random() % 4];
  return genome;
}

char other_than(char base) {
  return base == 'A' ? 'T' : base == 'T' ? 'A' : base == 'C' ? 'G' : 'C';  // A/T and C/G sites
}

/// A genome of one chromosome, a panel of its sites, and a file of reads that have every second site's minor
/// allele.
class ReadsTest : public ::testing::Test {
 protected:
  ReadsTest() : genome(made_genome()) {
    folder.write("genome.fa", ">1\n" + genome + "\n");
    if (fai_build(path("genome.fa").c_str()) != 0) throw Failure("no index of the genome");
    std::vector<Site> sites;
    for (std::uint32_t i = 1; i <= kSites; ++i) {
      const char base = genome[i * kSpacing - 1];
      sites.push_back({"s" + std::to_string(i), "1", i * kSpacing, base, other_than(base)});
    }
    panel.emplace(std::move(sites), std::vector<Population>{}, GenomeBuild::kUnknown, "panel");
    options.encoding = Encoding::kAlleles;
    options.individuals = true;
    options.reference = path("genome.fa");
    folder.write("reads.sam", sam());
  }

  std::string path(const std::string& name) const { return folder / name; }

  std::string sam() const {
    std::string text = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1\tLN:" + std::to_string(kLength) + "\n";
    std::string sample = genome;
    for (std::uint32_t i = 2; i <= kSites; i += 2)
      sample[i * kSpacing - 1] = other_than(sample[i * kSpacing - 1]);
    for (std::uint32_t pos = 1; pos + 80 < kLength; pos += 5)
      text += "r" + std::to_string(pos) + "\t0\t1\t" + std::to_string(pos) + "\t60\t80M\t*\t0\t0\t" +
              sample.substr(pos - 1, 80) + "\t" + std::string(80, 'I') + "\n";
    return text;
  }

  /// The reads once more, as htslib writes them.
  void convert(const std::string& name, const char* mode, const std::string& reference = "genome.fa") const {
    const std::unique_ptr<htsFile, int (*)(htsFile*)> in(hts_open(path("reads.sam").c_str(), "r"), hts_close);
    const std::unique_ptr<htsFile, int (*)(htsFile*)> out(hts_open(path(name).c_str(), mode), hts_close);
    if (*(mode + 1) == 'c') hts_set_fai_filename(out.get(), path(reference).c_str());
    const std::unique_ptr<sam_hdr_t, void (*)(sam_hdr_t*)> header(sam_hdr_read(in.get()), sam_hdr_destroy);
    const std::unique_ptr<bam1_t, void (*)(bam1_t*)> record(bam_init1(), bam_destroy1);
    ASSERT_EQ(sam_hdr_write(out.get(), header.get()), 0);
    while (sam_read1(in.get(), header.get(), record.get()) >= 0)
      ASSERT_GE(sam_write1(out.get(), header.get(), record.get()), 0);
  }

  std::vector<Seen> seen(const std::string& name) const {
    std::vector<Seen> all;
    for (const SiteCall& call : call_reads(path(name), *panel, options).sites) all.push_back(call.seen);
    return all;
  }

  template <class Kind = InputError>
  std::string refused(const std::string& name) const {
    return refusal<Kind>([&] { call_reads(path(name), *panel, options); });
  }

  TempFolder folder;
  std::string genome;
  std::optional<Panel> panel;
  ImportOptions options;
};

TEST_F(ReadsTest, ReadsOfAnotherGenomeAreRefusedByItsChecksum) {
  const auto with_checksum = [&](const std::string& md5) {
    std::string text = sam();
    return folder.write("m5.sam", text.replace(text.find("SN:1\t"), 5, "SN:1\tM5:" + md5 + "\t"));
  };
  with_checksum(std::string(32, 'a'));
  EXPECT_THAT(refused("m5.sam"), HasSubstr("is aligned to another genome than"));
  EXPECT_THAT(refused("m5.sam"), HasSubstr("the MD5 of chromosome 1 differs"));
  convert("reads.cram", "wc");  // states the MD5 of what it was made with
  seen("reads.cram");
  std::string other = genome;
  other[7] = other_than(other[7]);
  folder.write("other.fa", ">1\n" + other + "\n");
  ASSERT_EQ(fai_build(path("other.fa").c_str()), 0);
  options.reference = path("other.fa");
  EXPECT_THAT(refused("reads.cram"), HasSubstr("reads.cram, header: is aligned to another genome than"));
}

TEST_F(ReadsTest, EachChromosomesChecksumIsCompared) {
  folder.write("two.fa", ">1\n" + genome + "\n>2\n" + genome + "A\n");
  ASSERT_EQ(fai_build(path("two.fa").c_str()), 0);
  std::vector<Site> sites = panel->sites();
  sites.push_back({"t1", "2", kSpacing, sites[0].major, sites[0].minor});
  panel.emplace(std::move(sites), std::vector<Population>{}, GenomeBuild::kUnknown, "panel");
  options.reference = path("two.fa");
  ReferenceGenome two(path("two.fa"));
  const auto with_checksums = [&](const std::string& first, const std::string& second) {
    std::string text = sam();
    const std::string head = "SN:1\tM5:" + first + "\tLN:6000\n@SQ\tSN:2\tM5:" + second + "\tLN:6001";
    folder.write("m5.sam", text.replace(text.find("SN:1\t"), 12, head));
  };
  with_checksums(two.md5("1"), two.md5("2"));
  seen("m5.sam");
  with_checksums(two.md5("1"), std::string(32, 'a'));
  EXPECT_THAT(refused("m5.sam"), HasSubstr("the MD5 of chromosome 2 differs"));
  with_checksums(std::string(32, 'a'), two.md5("2"));
  EXPECT_THAT(refused("m5.sam"), HasSubstr("the MD5 of chromosome 1 differs"));
}

TEST_F(ReadsTest, ChromosomesThatTheGenomeLacksAreNamedWhereACramNeedsThem) {
  folder.write("two.fa", ">1\n" + genome + "\n>2\n" + genome + "\n");
  ASSERT_EQ(fai_build(path("two.fa").c_str()), 0);
  std::string text = sam();
  text.insert(text.find("LN:6000\n") + 8, "@SQ\tSN:2\tLN:6000\n");
  text += "last\t0\t2\t41\t60\t80M\t*\t0\t0\t" + genome.substr(40, 80) + "\t" + std::string(80, 'I') + "\n";
  folder.write("reads.sam", text);
  convert("two.cram", "wc", "two.fa");
  EXPECT_THAT(refused("two.cram"), HasSubstr("names '2', which --reference does not have"));
}

TEST_F(ReadsTest, AnyChromosomesLengthTellsTheBuild) {
  folder.write("b37.sam", "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr21\tLN:48129895\n@SQ\tSN:1\tLN:6000\n");
  panel = Panel(panel->sites(), {}, GenomeBuild::kGRCh38, "panel");
  EXPECT_THAT(refused("b37.sam"), HasSubstr("aligned to GRCh37, and the panel has positions of GRCh38"));
}

TEST_F(ReadsTest, ADeletionOverASiteIsAnAlleleThatThePanelDoesNotKnow) {
  // Of 12 reads over s1, at 40, some have a deletion of 38 to 42.
  const auto with_deletions = [&](int deleted) {
    std::string text = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1\tLN:" + std::to_string(kLength) + "\n";
    for (int i = 0; i < 12; ++i) {
      const bool gap = i < deleted;
      const std::string bases = gap ? genome.substr(4, 33) + genome.substr(42, 33) : genome.substr(4, 66);
      text += "r" + std::to_string(i) + "\t0\t1\t5\t60\t" + (gap ? "33M5D33M" : "66M") + "\t*\t0\t0\t" +
              bases + "\t" + std::string(66, 'I') + "\n";
    }
    folder.write("gap.sam", text);
    return seen("gap.sam")[0];
  };
  EXPECT_EQ(with_deletions(0), kMajorSeen);
  EXPECT_EQ(with_deletions(1), kMajorSeen) << "one read in twelve is an error";
  EXPECT_EQ(with_deletions(6), kNoneSeen);
  EXPECT_EQ(with_deletions(11), kNoneSeen);
}

TEST_F(ReadsTest, AnIndexOfAnotherGenomeIsRefused) {
  for (const std::string& text :
       {">1\n" + genome.substr(1) + "\n", ">1 longer\n" + genome + "\n", ">1\n" + genome + "ACGT\n",
        ">1\n" + genome.substr(0, 60) + "\n" + genome.substr(60)}) {
    folder.write("genome.fa", text);
    EXPECT_THAT(refused("reads.sam"), HasSubstr("is not of this file as it is now"));
  }
}

// htslib would ask for as much memory as the header says it has.
TEST_F(ReadsTest, ABamWhoseHeaderIsLongerThanAnyIsRefused) {
  folder.write("long.bam", "BAM\1" + std::string("\xff\xff\xff\x7f@HD", 7) + std::string(100, '\0'));
  EXPECT_THAT(refused("long.bam"), HasSubstr("more than any header"));
}

TEST_F(ReadsTest, ChromosomesAreNamedAsTheReferenceNamesThem) {
  folder.write("chr.fa", ">chr1\n" + genome + "\n");
  ASSERT_EQ(fai_build(path("chr.fa").c_str()), 0);
  options.reference = path("chr.fa");
  EXPECT_EQ(call_reads(path("reads.sam"), *panel, options).chromosomes.at("1"), "chr1");
}

TEST_F(ReadsTest, EveryContainerWithAndWithoutItsIndexGivesTheSame) {
  const std::vector<Seen> expected = seen("reads.sam");
  for (std::uint32_t i = 0; i < kSites; ++i)
    EXPECT_EQ(expected[i], i % 2 == 0 ? kMajorSeen : kMinorSeen) << i;
  convert("reads.bam", "wb");
  convert("reads.cram", "wc");
  for (const char* name : {"reads.bam", "reads.cram"}) {
    EXPECT_EQ(seen(name), expected) << name;
    ASSERT_EQ(sam_index_build(path(name).c_str(), 0), 0);
    EXPECT_EQ(seen(name), expected) << name << " with its index";
  }
  const ImportedProfiles profile = import_profiles(path("reads.bam"), *panel, options);
  EXPECT_EQ(profile.ids, std::vector<std::string>{"reads"});
  EXPECT_EQ(profile.counts.matched, kSites);
  EXPECT_EQ(profile.blocks.called_sites(0), kSites);
}

TEST_F(ReadsTest, AnIndexSparesReadsFarFromSites) {
  convert("reads.bam", "wb");
  panel.emplace(std::vector<Site>{panel->sites()[3]}, std::vector<Population>{}, GenomeBuild::kUnknown,
                "panel");
  const ReadCounts without = call_reads(path("reads.bam"), *panel, options).counts;
  ASSERT_EQ(sam_index_build(path("reads.bam").c_str(), 0), 0);
  EXPECT_EQ(call_reads(path("reads.bam"), *panel, options).counts.reads, without.reads);
  EXPECT_EQ(without.reads, 16u);  // 80 bases, one read every 5
}

TEST_F(ReadsTest, FilesCutAnywhereAreRefused) {
  convert("reads.bam", "wb");
  convert("reads.cram", "wc");
  for (const char* name : {"reads.bam", "reads.cram"})
    for (const double share : {0.001, 0.3, 0.7, 0.999}) {
      std::filesystem::copy_file(path(name), path("cut"), std::filesystem::copy_options::overwrite_existing);
      const auto bytes = static_cast<double>(std::filesystem::file_size(path("cut")));
      std::filesystem::resize_file(path("cut"), static_cast<std::uintmax_t>(share * bytes));
      EXPECT_THAT(refused("cut"), HasSubstr("cut")) << name << ' ' << share;
    }
}

/// The header of this CRAM names a file that has its second chromosome; an index of it would be made beside
/// it.
TEST_F(ReadsTest, NothingThatACramNamesIsOpened) {
  folder.write("named.fa", ">1\n" + genome + "\n>2\n" + genome + "\n");
  ASSERT_EQ(fai_build(path("named.fa").c_str()), 0);
  std::string text = sam();
  text.insert(text.find('\n', text.find("@SQ")) + 1,
              "@SQ\tSN:2\tLN:" + std::to_string(kLength) + "\tUR:" + path("named.fa") + "\n");
  text += "last\t0\t2\t1\t60\t80M\t*\t0\t0\t" + genome.substr(0, 80) + "\t" + std::string(80, 'I') + "\n";
  folder.write("reads.sam", text);
  convert("reads.cram", "wc", "named.fa");
  std::filesystem::remove(path("named.fa.fai"));
  EXPECT_THAT(refused("reads.cram"), HasSubstr("reads.cram"));
  EXPECT_FALSE(std::filesystem::exists(path("named.fa.fai")));
}

TEST_F(ReadsTest, AnIndexOfTheGenomeThatCannotBeIsRefused) {
  for (const char* line : {"1\t6000\t3\t0\t61", "1\t6000\t3\t60\t0", "1\t-1\t3\t60\t61", "1\t6000\t3\t60",
                           "1\t6000\t99999999999999999999\t60\t61"}) {
    folder.write("genome.fa.fai", line + std::string("\n"));
    EXPECT_THAT(refused("reads.sam"), HasSubstr("genome.fa.fai, line 1: is not what samtools writes"))
        << line;
  }
}

TEST_F(ReadsTest, AnotherGenomeIsRefused) {
  std::string turned = genome;
  std::ranges::reverse(turned);
  folder.write("genome.fa", ">1\n" + turned + "\n");
  EXPECT_THAT(refused("reads.sam"), HasSubstr("another genome build"));
  options.reference.clear();
  EXPECT_THAT(refused("reads.sam"), HasSubstr("--reference"));
}

TEST(Mates, OfAFragmentTheSurerOneCounts) {
  const auto read = [](std::uint64_t fragment, char base, std::uint8_t quality) {
    return Observation{fragment, {hmm::pack(hmm::base_set(base), {quality, 45, 45, 10})}, 0};
  };
  std::vector<Observation> reads = {read(2, 'A', 30), read(1, 'C', 20), read(2, 'A', 35), read(1, 'G', 33),
                                    read(3, 'T', 9)};
  EXPECT_EQ(merge_mates(reads), 2u);
  ASSERT_EQ(reads.size(), 3u);
  EXPECT_EQ(reads[0].base(), hmm::base_set('G'));
  EXPECT_EQ(reads[0].quality(), 13u);  // less the other base's 20
  EXPECT_EQ(reads[1].quality(), 35u);
  EXPECT_EQ(reads[2].quality(), 9u);

  std::vector<Observation> cancelled = {read(1, 'A', 35), read(1, 'C', 35), read(2, 'A', 30),
                                        read(2, 'C', 25)};
  EXPECT_EQ(merge_mates(cancelled), 4u);
  EXPECT_TRUE(cancelled.empty()) << "what is left of either says nothing";
  std::vector<Observation> single = {read(0, 'A', 35), read(0, 'C', 35), read(0, 'A', 35)};
  EXPECT_EQ(merge_mates(single), 0u);
  EXPECT_EQ(single.size(), 3u) << "reads of no pair are no mates";
}

// As reads of a base error are: (1 - error) or error of each.
TEST(LikelihoodsOfReads, AreMeansOverAnotherPersonWhereReadsAreForeign) {
  constexpr double kError = .01, kOdds = (1 - kError) / kError, q = .3;
  const std::vector<float> odds = {static_cast<float>(kOdds), static_cast<float>(kOdds),
                                   static_cast<float>(1 / kOdds)};  // two minor, one major
  const auto by_hand = [&](double minor) {
    const double shown = minor * (1 - kError) + (1 - minor) * kError;
    return shown * shown * (1 - shown);
  };
  const std::array<double, 3> people{(1 - q) * (1 - q), 2 * q * (1 - q), q * q};
  for (const double share : {0., .1, .5}) {
    std::array<double, 3> expected{};
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t h = 0; h < 3; ++h)
        expected[g] += people[h] *
                       by_hand((1 - share) * static_cast<double>(g) / 2 + share * static_cast<double>(h) / 2);
    const double most = std::ranges::max(expected);
    const GenotypeLikelihoods likelihoods = likelihoods_of_reads(odds, share, q);
    for (std::size_t g = 0; g < 3; ++g) EXPECT_NEAR(likelihoods[g], expected[g] / most, 1e-6) << share;
  }
  EXPECT_FALSE(informative(likelihoods_of_reads({}, 0, q)));
}

/// Sites are 40 bases apart, so that a read of 80 covers two, and counts at that of its middle.
TEST_F(ReadsTest, AFragmentCountsAtOneSite) {
  const auto record = [&](const std::string& name, int flag, std::uint32_t pos, std::uint32_t mate,
                          int length) {
    return name + "\t" + std::to_string(flag) + "\t1\t" + std::to_string(pos) + "\t60\t80M\t" +
           (mate == 0 ? "*" : "=") + "\t" + std::to_string(mate) + "\t" + std::to_string(length) + "\t" +
           genome.substr(pos - 1, 80) + "\t" + std::string(80, 'I') + "\n";
  };
  const std::string head = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1\tLN:" + std::to_string(kLength) + "\n";
  const auto sites = [&](const std::string& records) {
    folder.write("few.sam", head + records);
    const auto of = call_reads(path("few.sam"), *panel, options).likelihoods.value();
    std::vector<std::uint32_t> positions;
    for (const std::uint32_t site : of.sites()) positions.push_back(panel->sites()[site].pos);
    return positions;
  };
  using Positions = std::vector<std::uint32_t>;
  EXPECT_FALSE((folder.write("few.sam", head + record("a", 0, 101, 0, 0)),
                call_reads(path("few.sam"), *panel, options).likelihoods));
  options.likelihoods = LikelihoodRule::kAuto;
  EXPECT_EQ(sites(record("a", 0, 101, 0, 0)), Positions{160}) << "120 and 160, of 101 to 180";
  EXPECT_EQ(sites(record("a", 0, 95, 0, 0)), Positions{120});
  // Mates: the middle is the fragment's, and the second one adds nothing at another site.
  EXPECT_EQ(sites(record("p", 99, 81, 301, 300) + record("p", 147, 301, 81, -300)), Positions{160});
  EXPECT_EQ(sites(record("p", 99, 81, 101, 100) + record("p", 147, 101, 81, -100)), Positions{120});
  // Of two fragments each counts.
  EXPECT_EQ(sites(record("a", 0, 95, 0, 0) + record("b", 0, 101, 0, 0)), (Positions{120, 160}));
  options.individuals = false;
  EXPECT_FALSE(call_reads(path("few.sam"), *panel, options).likelihoods) << "a mixture is no person";
  // Where a mixture's reads are weighed, a site that has few of them goes by each.
  options.signals = true;
  const CalledReads mixture = call_reads(path("few.sam"), *panel, options);
  Positions of_reads;
  for (const SiteRead& read : mixture.few_reads) of_reads.push_back(panel->sites()[read.site].pos);
  EXPECT_EQ(of_reads, (Positions{120, 160}));
  for (const SiteRead& read : mixture.few_reads) {
    EXPECT_TRUE(read.odds < .01 || read.odds > 100);
    EXPECT_EQ(mixture.sites[read.site].seen, read.odds > 1 ? kMinorSeen : kMajorSeen) << "of one read";
  }
  const ImportedProfiles imported = read_profiles(path("few.sam"), *panel, options);
  EXPECT_EQ(imported.few_reads.at(0), mixture.few_reads);
  EXPECT_EQ(imported.signals.at(0)->at(mixture.few_reads[0].site).total(), 1) << "two reads cover it";
  std::string many;
  for (std::size_t i = 0; i <= kFewReads; ++i) many += record("m" + std::to_string(i), 0, 101, 0, 0);
  folder.write("few.sam", head + many);
  EXPECT_TRUE(call_reads(path("few.sam"), *panel, options).few_reads.empty());
}

/// Where a mixture's reads are weighed one read shows an allele, but a stray one of Y shows no man.
TEST_F(ReadsTest, OneReadShowsAnAlleleOfAutosomalSitesAlone) {
  folder.write("two.fa", ">1\n" + genome + "\n>Y\n" + genome + "\n");
  ASSERT_EQ(fai_build(path("two.fa").c_str()), 0);
  const char base = genome[159];
  const Panel both({{"a", "1", 160, base, other_than(base)}, {"y", "Y", 160, base, other_than(base)}}, {},
                   GenomeBuild::kUnknown, "panel");
  options.individuals = false;
  options.signals = true;
  options.reference = path("two.fa");
  const std::string length = "\tLN:" + std::to_string(kLength) + "\n";
  const auto seen = [&](std::size_t reads, std::size_t site) {
    std::string text = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1" + length + "@SQ\tSN:Y" + length;
    for (const char* const chrom : {"1", "Y"})
      for (std::size_t i = 0; i < reads; ++i)
        text += chrom + std::to_string(i) + "\t0\t" + chrom + "\t121\t60\t80M\t*\t0\t0\t" +
                genome.substr(120, 80) + "\t" + std::string(80, 'I') + "\n";
    folder.write("two.sam", text);
    return call_reads(path("two.sam"), both, options).sites[site].seen;
  };
  EXPECT_EQ(seen(1, 0), kMajorSeen);
  EXPECT_EQ(seen(1, 1), kNoneSeen);
  EXPECT_EQ(seen(10, 1), kMajorSeen);
}

TEST_F(ReadsTest, LikelihoodsFollowFromTheSiteAndItsReads) {
  options.likelihoods = LikelihoodRule::kAuto;
  const CalledReads called = call_reads(path("reads.sam"), *panel, options);
  ASSERT_GT(called.likelihoods->sites().size(), 100u);
  for (std::size_t i = 0; i < called.likelihoods->sites().size(); ++i) {
    const std::uint32_t site = called.likelihoods->sites()[i];
    const GenotypeLikelihoods& of = called.likelihoods->values()[i];
    const bool minor = (site + 1) % 2 == 0;  // homozygous
    EXPECT_EQ(of[minor ? 2 : 0], 1);
    EXPECT_LT(of[1], 0.1) << "some eight reads";
  }
  const auto imported = read_profiles(path("reads.sam"), *panel, options);
  EXPECT_EQ(imported.likelihoods.at(0), called.likelihoods);
  options.min_genotype_quality = 20;  // asks for calls
  EXPECT_FALSE(call_reads(path("reads.sam"), *panel, options).likelihoods);
}

TEST_F(ReadsTest, ContaminationTakesFrequencies) {
  options.likelihoods = LikelihoodRule::kAuto;
  options.reads.contamination = .1;
  EXPECT_THAT(refused<UsageError>("reads.sam"), HasSubstr("--contamination takes frequencies"));
  options.reads.contamination = .7;
  EXPECT_THAT(refused<UsageError>("reads.sam"), HasSubstr("give auto, or 0 to 0.5"));
  options.reads.contamination.reset();
  EXPECT_TRUE(call_reads(path("reads.sam"), *panel, options).likelihoods) << "none is estimated";
}

// Half of the reads show a third base: somebody has it. One in many is an error.
TEST(AnotherAllele, IsShownByItsReads) {
  const ReadLikelihood major = {0, -3.5}, neither = {0, 0};
  const auto shows = [&](std::size_t n_major, std::size_t n_other, bool haploid) {
    std::vector<ReadLikelihood> reads(n_major, major);
    reads.insert(reads.end(), n_other, neither);
    std::vector<double> other(n_major, 0);
    other.insert(other.end(), n_other, 4.0);
    return shows_another_allele(reads, other, haploid);
  };
  EXPECT_TRUE(shows(12, 12, false));
  EXPECT_TRUE(shows(0, 10, false));
  EXPECT_TRUE(shows(0, 10, true));
  EXPECT_TRUE(shows(12, 5, false));
  EXPECT_FALSE(shows(24, 0, false));
  EXPECT_FALSE(shows(23, 1, false));
  EXPECT_FALSE(shows(20, 1, true));
}

TEST(KnownVariants, NearestOnesThatDoNotOverlap) {
  const TempFolder folder;
  const std::string path =
      folder.write("known.vcf",
                   "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\n"
                   "chr1\t90\t.\tA\tC\nchr1\t99\t.\tAC\tA\nchr1\t100\t.\tC\tT\nchr1\t103\t.\tG\tA,<DEL>,T\n"
                   "chr1\t104\t.\tGTT\tG\nchr1\t105\t.\tT\tA\n2\t101\t.\tT\tA\n");
  const KnownVariants known(path);
  const auto near = known.beside("1", 80, 120, 100, 3);
  ASSERT_EQ(near.size(), 3u);
  EXPECT_EQ(near[0].pos, 90u);  // 99 lies over the site, 100 is the site, 105 lies under 104
  EXPECT_EQ(near[1].pos, 103u);
  EXPECT_EQ(near[1].other, "A");
  EXPECT_EQ(near[2].pos, 104u);
  EXPECT_TRUE(known.beside("1", 91, 102, 100, 3).empty());
  folder.write("known.vcf", "##fileformat=VCFv4.2\n1\tx\t.\tA\tC\n");
  EXPECT_THAT(refusal([&] { const KnownVariants malformed(path); }), HasSubstr("line 2: the position 'x'"));
}

}  // namespace
}  // namespace fastid::imports
