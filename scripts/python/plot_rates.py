#!/usr/bin/env python3
"""Draws rates from a TSV: a curve for each series over a logarithmic axis, a panel beside the other for each value.

usage: plot_rates.py RATES.tsv --x COLUMN --series COLUMN --rate COLUMN [--panel COLUMN] [--unit TEXT] [--scale F]
                     [--where COLUMN=VALUE]... -o STEM        writes STEM.svg and STEM.png

A series whose name begins with "bound" is a line without marks. Where several lines have the same series, panel and x, their median counts. Needs matplotlib.
"""

import argparse
import csv
import pathlib
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "fastid", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3})
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen before)

MARKERS = "osD^vP*X"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsv", type=pathlib.Path)
    parser.add_argument("--x", required=True)
    parser.add_argument("--series", required=True)
    parser.add_argument("--rate", required=True)
    parser.add_argument("--panel")
    parser.add_argument("--unit", default="")
    parser.add_argument("--scale", type=float, default=1, help="rates are divided by this")
    parser.add_argument("--where", action="append", default=[])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    return parser.parse_args()


def read_rates(arguments):
    """{panel: {series: {x: rate}}}, in the order of the file."""
    wanted = [condition.split("=", 1) for condition in arguments.where]
    found = {}
    with open(arguments.tsv, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            if line[arguments.rate] == "NA" or any(line[column] != value for column, value in wanted):
                continue
            panel = line[arguments.panel] if arguments.panel else ""
            series = found.setdefault(panel, {}).setdefault(line[arguments.series], {})
            series.setdefault(float(line[arguments.x]), []).append(float(line[arguments.rate]) / arguments.scale)
    return {panel: {name: {x: statistics.median(rates) for x, rates in points.items()} for name, points in series.items()}
            for panel, series in found.items()}


def with_commas(text):
    return f"{int(text):,}" if text.isdigit() else text


def draw(panels, arguments):
    figure, all_axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels) + 0.6, 3.6), sharey=True, squeeze=False)
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    for axes, (panel, series) in zip(all_axes[0], panels.items()):
        for name, points in series.items():
            place = names.index(name)
            xs = sorted(points)
            style = {"marker": MARKERS[place % len(MARKERS)]}
            if name.startswith("bound"):
                style = {"linestyle": "--", "linewidth": 1}
            axes.plot(xs, [points[x] for x in xs], markersize=4, label=name, color=f"C{place}", **style)
        ticks = sorted({x for points in series.values() for x in points})
        ticks = ticks[::1 + len(ticks) // 8]  # as many as their numbers leave room for
        axes.set(xscale="log", yscale="log", xlabel=arguments.x, xticks=ticks)
        axes.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
        axes.minorticks_off()
        if panel:
            axes.set_title(f"{with_commas(panel)} {arguments.panel}")
    all_axes[0][0].set_ylabel(arguments.unit or arguments.rate)
    all_axes[0][0].yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    figure.legend(*all_axes[0][0].get_legend_handles_labels(), loc="outside lower center",
                  ncols=2 if len(panels) == 1 else 3, frameon=False)
    return figure


def main():
    arguments = parse_arguments()
    panels = read_rates(arguments)
    if not panels:
        raise SystemExit(f"{arguments.tsv}: no rates to draw")
    matplotlib.rcParams["figure.constrained_layout.use"] = True
    figure = draw(panels, arguments)
    figure.savefig(arguments.output.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(arguments.output.with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
