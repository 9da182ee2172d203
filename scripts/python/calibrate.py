#!/usr/bin/env python3
"""The measurements of scripts/calibrate, as Markdown: its help says what each is."""

import argparse
import os
import pathlib

from calibrate_cousins import calibrate_cousins
from calibrate_disasters import calibrate_disasters
from calibrate_families import calibrate_families
from calibrate_kin import calibrate_kin, calibrate_relatives
from calibrate_linkage import calibrate_linkage
from calibrate_linked import calibrate_linked
from calibrate_mixtures import calibrate_mixtures, calibrate_numbers, calibrate_stain
from calibrate_people import calibrate_people, calibrate_spread, calibrate_strangers
from calibrate_reads import calibrate_reads
from calibrate_stains import calibrate_drop_outs, calibrate_shares
from calibrate_tools import Fastid

OF_REAL_PEOPLE = {"people": calibrate_people, "spread": calibrate_spread, "strangers": calibrate_strangers,
                  "mixtures": calibrate_mixtures,
                  "stain": calibrate_stain, "relatives": calibrate_relatives, "linkage": calibrate_linkage, "linked": calibrate_linked,
                  "cousins": calibrate_cousins}
OF_SIMULATED = {"families": calibrate_families, "kin": calibrate_kin, "numbers": calibrate_numbers, "reads": calibrate_reads,
                "shares": calibrate_shares, "drop-outs": calibrate_drop_outs,
                "disasters": calibrate_disasters}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fastid", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for databases")
    parser.add_argument("part", choices=[*OF_REAL_PEOPLE, *OF_SIMULATED])
    arguments = parser.parse_args()
    work = arguments.work / arguments.part
    work.mkdir(parents=True, exist_ok=True)
    fastid = Fastid(arguments.fastid)
    if arguments.part in OF_REAL_PEOPLE:
        OF_REAL_PEOPLE[arguments.part](fastid, pathlib.Path(os.environ["FASTID_REAL_DATA"]), work)
    else:
        OF_SIMULATED[arguments.part](fastid, work)


if __name__ == "__main__":
    main()
