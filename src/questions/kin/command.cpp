// fastid kin: turn arguments into KinOptions and print the table.
#include <memory>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/question.hpp"
#include "linked/linked_family.hpp"
#include "questions/kin/command.hpp"
#include "questions/kin/run.hpp"

namespace fastid::kin {
namespace {

struct KinArguments {
  cli::Question question;
  KinOptions kin;  ///< without the search, which is the question's
};

/// The files that are read besides the queries and the database.
std::vector<std::string> files_of(const KinOptions& options) {
  return {options.family, options.linked.map_file()};
}

ExitCode run_kin(KinArguments& arguments) {
  arguments.question.search.comparison = engine::Comparison::kKinship;
  cli::check_contamination(arguments.question.reading.import);
  arguments.question.family = !arguments.kin.family.empty();
  return cli::answer(arguments.question,
                     "name at least one query and, last, the database: fastid kin QUERY... DB", {},
                     files_of(arguments.kin), [&](asking::PairFinder& finder) {
                       KinOptions options = arguments.kin;
                       options.search = arguments.question.search;
                       options.linked.stretches = arguments.question.segments.asked();
                       return find_kin(options, finder);
                     });
}

void add_kin_evidence(cli::Command app, asking::EvidenceOptions& evidence, KinOptions& options,
                      cli::StretchesFile& segments) {
  cli::add_populations(app, evidence.population, evidence.parameters, true);
  cli::add_blocks(app, evidence.blocks);
  cli::add_margin(app, options.margin);
  cli::add_linked(app, options.linked);
  segments.add_option(app);
  cli::add_choice(
      app, "--sort", evidence.by_rate,
      "List by evidence (default): the highest likelihood ratio of any relation first; or by kinship, as "
      "where there are no frequencies",
      {{"evidence", false}, {"kinship", true}})
      .value_name("ORDER");
}

void add_family(cli::Command app, KinOptions& options) {
  app.group("A missing member of a family");
  app.add_option(
         "--family", options.family,
         "Rank profiles as each missing member of this family, by all of its typed members: the queries, "
         "named as in FILE. A PED file, or lines of person, father and mother (0: not listed)")
      .value_name("FILE")
      .brief("Rank as each missing member of this family (PED)");
  app.add_option("--missing", options.missing,
                 "Who is looked for; again for each further one (default: the only one of FILE who is not "
                 "among the queries, or those whose sixth column in the PED file is 2 or missing)")
      .one_at_a_time()
      .value_name("PERSON")
      .brief("Who of the family is looked for; again for another");
  cli::add_number(
      app, "--max-bits", options.max_bits,
      "Follow a family along the genetic map if it has at most N bits of inheritance, else take sites as "
      "unlinked: a bit for each parent and child who lead to a typed or missing member, but for one of "
      "each founder. Each more doubles the time (16)")
      .check(cli::within(0U, linked::kHardlyFollowedBits))
      .value_name("N")
      .brief("Follow families of at most N bits along the map (16)");
}

}  // namespace

void add_kin(cli::Command app, const part::PartSet* parts) {
  const cli::Command command =
      app.add_command("kin", "Who is a relative? Rank profiles as relatives of each query, or of a family");
  const auto arguments = std::make_shared<KinArguments>();
  cli::Question& question = arguments->question;
  question.sharding.parts = parts;
  cli::add_files_and_rule(command, question, "Query", [&] {
    cli::add_limit(command, "--min-lr", arguments->kin.linked.min_lr,
                   "List only profiles whose likelihood ratio of any relative is at least 10^X (0; with "
                   "--min-kinship alone off)")
        .value_name("X")
        .brief("List only ratios of any relative of at least 10^X (0)");
    cli::add_limit(
        command, "--min-kinship", arguments->kin.min_kinship,
        "List only profiles with a kinship coefficient of at least PHI: .5 is the same person, .25, "
        ".125, .0625 "
        "relatives of the first, second, third degree (off; where relatives are not weighed along the "
        "map .0221)")
        .value_name("PHI");
  });
  add_kin_evidence(command, question.search.evidence, arguments->kin, question.segments);
  cli::add_likelihoods(command, question.reading.import);
  add_family(command, arguments->kin);
  cli::add_common_options(command, question, engine::Comparison::kKinship);
  command.runs([arguments] { return run_kin(*arguments); });
  command.footer(
      "Examples:\n"
      "  fastid kin remains.vcf.gz people.h5\n"
      "  fastid kin cases/*.vcf.gz people.h5 --min-kinship 0.1 --top all -o kin.tsv\n"
      "  fastid kin mother.snp sister.snp remains.h5 --family family.txt\n"
      "  fastid kin mother.snp remains.h5 --family f.ped --missing son --missing uncle\n\n"
      "The database must say which alleles were seen (db build --encoding alleles). Every profile is held "
      "against\n"
      "each query along the genetic map, since relatives share long stretches of chromosomes; the likeliest "
      "are\n"
      "weighed by 19 relations, and listed by the likelihood ratio of any relative. By --min-kinship alone "
      "and\n"
      "with --unlinked, KING's kinship coefficient chooses whom to weigh. A missing member of a family is "
      "weighed\n"
      "along the map too, by all typed members together.");
}

}  // namespace fastid::kin
