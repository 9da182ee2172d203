# fastid as rules: the work of one command shared among jobs, their parts merged. Include it, and say in the config:
#
#   fastid:
#     program: fastid                        # default
#     runs:
#       scene:                               # makes results/scene.html
#         command: search                    # search, mixture, kin; pairs has no queries
#         queries: [cases/scene.snp]
#         database: people.h5                # pairs of two: [tumours.h5, normals.h5]
#         shards: 16                         # default 1
#         threads: 4                         # of each shard, default 1
#         options: --top 20                  # what is asked
#         format: html                       # tsv (default), json, jsonl, html, table
#         merge_options: --examiner 'A. B.'  # how it is printed
#
#   include: "fastid.smk"
#   rule all:
#       input: expand("results/{run}", run=fastid_results)
#
# A shard that fails is run again alone, by --retries or the next call of Snakemake: parts appear whole or not at all.
import re

FASTID = config["fastid"]
FASTID_RUNS = FASTID["runs"]
fastid_results = [f"{name}.{run.get('format', 'tsv')}" for name, run in FASTID_RUNS.items()]


def _listed(value):
    return value if isinstance(value, list) else [value]


def _of(key, default=None):
    return lambda wildcards: FASTID_RUNS[wildcards.run].get(key, default)


wildcard_constraints:
    run="|".join(map(re.escape, FASTID_RUNS)),
    shard=r"\d+",


rule fastid_shard:
    input:
        queries=lambda wildcards: _listed(FASTID_RUNS[wildcards.run].get("queries", [])),
        database=lambda wildcards: _listed(FASTID_RUNS[wildcards.run]["database"]),
    output:
        temp("parts/{run}/{shard}-of-{of}.part"),
    params:
        program=FASTID.get("program", "fastid"),
        command=_of("command", "search"),
        options=_of("options", ""),
    log:
        "logs/{run}/{shard}-of-{of}.log",
    threads: lambda wildcards: FASTID_RUNS[wildcards.run].get("threads", 1)
    shell:
        "{params.program} {params.command} {input.queries:q} {input.database:q} {params.options}"
        " --threads {threads} --progress never --shard {wildcards.shard}/{wildcards.of} -o {output:q} 2>{log:q}"


rule fastid_merge:
    input:
        parts=lambda wildcards: expand(
            "parts/{run}/{shard}-of-{of}.part",
            run=wildcards.run,
            shard=range(1, FASTID_RUNS[wildcards.run].get("shards", 1) + 1),
            of=FASTID_RUNS[wildcards.run].get("shards", 1),
        ),
        database=lambda wildcards: _listed(FASTID_RUNS[wildcards.run]["database"]),
    output:
        "results/{run}.{format}",
    params:
        program=FASTID.get("program", "fastid"),
        options=_of("merge_options", ""),
    log:
        "logs/{run}/merge.{format}.log",
    shell:
        "{params.program} merge {input.parts:q} {params.options} --progress never --format {wildcards.format}"
        " -o {output:q} 2>{log:q}"
