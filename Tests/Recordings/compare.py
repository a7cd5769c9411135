#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Compares the virtual air with recordings of real ones.

FOLDER contains copies of these data sets, which are not part of this repository; one of them is enough:

  ble-rss-fingerprints-calib2021           github.com/marckolak, also zenodo.org/records/5457591, CC BY 4.0, M. Kolakowski:
                                           `anchors.csv`, `layout.csv` and `calibration/calibration_df.csv`. A robot with a
                                           beacon moves in a furnished flat with six anchors.
  Position-Annotated-BLE-RSSI-Dataset      github.com/philotuxo, CC0: `cnf` and `trk`. A beacon moves among twelve
                                           sensors in a hall.
  BLE-RSSI-Various-Static-Configurations   github.com/mitll, CC BY 4.0, MIT Lincoln Laboratory. Four phones that a person
                                           carries at rest, 1.83 m from a sniffer that records the channel of each packet,
                                           in several rooms.

The SHA-256 of the files is compared with that of those that the constants of the presets were fitted to. The places of each data set
are in two halves: the constants are from one, and the other one judges; --half selects. The four mean RSSIs of an office that
Strzoda and others (2022) have published judge only.

For each number there is a line with the recorded and the modelled value and the largest allowed difference. Exit code 0 if
all are within their bounds, 1 if one is not, 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import os
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from statistics import fmean, median, pstdev

CHECKOUT = Path(__file__).resolve().parents[2]
HARNESS = os.environ.get("BEACONRY_PHYSICS_HARNESS") or str(CHECKOUT / ".build" / "debug" / "physics-harness")
"""The program of Tests/PhysicsHarness (swift build --product physics-harness)."""
FLAT = "ble-rss-fingerprints-calib2021"
MOVING = "Position-Annotated-BLE-RSSI-Dataset"
RESTING = "BLE-RSSI-Various-Static-Configurations"
FILES = {
    FLAT: (("anchors.csv", "layout.csv", "calibration/calibration_df.csv"), "1f9044004f9c4d55c447cd2d464a0683c117ee3684caa6bb53c898d9a7dac91c"),
    MOVING: (("cnf/tetam.dev", "trk/*_all_sensors.mbd"), "c5b07992d1a18758ebd8a1e742de2d9c3752458ac527d3f0e940db8f24ac563f"),
    RESTING: (("**/nrf52_*.pcapng",), "3a2f2fc18d17930c70474d10704fad121185c76cfc42b7c6e8a29e307bf2f2b0"),
}
"""The files of each data set that are read, and the SHA-256 of their names and contents in the order of their names."""
HALVES = ("fit", "judge", "all")
PERCENTS = (1, 5, 25, 50, 75, 95, 99)
LAGS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Displacements in metres, for correlations."""
WINDOW = 60
"""The longest time between two packets that are compared with each other, in seconds."""

Place = tuple[float, float, float]


@dataclass
class Comparison:
    """The lines of the report, and whether all differences are within their bounds."""

    failures: int = 0

    def line(self, name: str, recorded: float, modelled: float, bound: float | None = None) -> None:
        """Prints a number of both; without a bound it is for information only."""
        verdict = ""
        if bound is not None:
            is_within = abs(recorded - modelled) <= bound
            self.failures += not is_within
            verdict = f"+-{bound:g}".ljust(7) + ("" if is_within else " OUT OF BOUNDS")
        print(f"  {name:<44}{recorded:10.2f}{modelled:10.2f}   {verdict}".rstrip())


def is_in(half: str, x: float, y: float) -> bool:
    """Whether a place is in a half: the fields of a chessboard with a side of 1 m."""
    return half == "all" or (math.floor(x) + math.floor(y)) % 2 == (half == "judge")


def check_files(folder: Path) -> None:
    """Ends the program if the files differ from those that the constants were fitted to."""
    patterns, expected = FILES[folder.name]
    digest = hashlib.sha256()
    for name in sorted(str(file.relative_to(folder)) for pattern in patterns for file in folder.glob(pattern)):
        digest.update(name.encode() + b"\n" + hashlib.sha256((folder / name).read_bytes()).digest())
    if digest.hexdigest() != expected:
        sys.exit(f"{folder}: not the files that the constants were fitted to: SHA-256 {digest.hexdigest()}, not {expected}")


# --- The flat ---

WALL = 5.5
"""The loss of a wall of the flat in dB."""
FLAT_SEEDS = range(1, 17)
"""Each is another flat with the same walls: the share of places whose strongest anchor is the nearest differs by 5 points from one to another."""


@dataclass
class Flat:
    """Anchors, the outline of walls, whose two faces are a line each, and the places of the beacon in windows of 1/3 s."""

    anchors: list[Place]
    walls: list[tuple[float, float, float, float]]
    places: list[Place]
    rssi: list[list[float]]
    """In dBm, not a number for no packet."""

    def count_walls(self, place: Place, anchor: Place) -> float:
        faces = 0
        for x1, y1, x2, y2 in self.walls:
            from_side, to_side = side((x1, y1, x2, y2), place), side((x1, y1, x2, y2), anchor)
            path = (place[0], place[1], anchor[0], anchor[1])
            faces += from_side * to_side < 0 and side(path, (x1, y1, 0)) * side(path, (x2, y2, 0)) <= 0
        return faces / 2


def side(line: tuple[float, float, float, float], place: Place) -> float:
    """Positive on one side of a line, negative on the other."""
    x1, y1, x2, y2 = line
    return (x2 - x1) * (place[1] - y1) - (y2 - y1) * (place[0] - x1)


def recorded_flat(folder: Path) -> Flat:
    def rows(name: str) -> list[dict[str, str]]:
        with (folder / name).open() as file:
            return list(csv.DictReader(file))

    anchors = [(float(row["x"]), float(row["y"]), float(row["z"])) for row in rows("anchors.csv")]
    corners = [(float(row["x"]), float(row["y"])) for row in rows("layout.csv")]
    measured = rows("calibration/calibration_df.csv")
    return Flat(
        anchors, [(*one, *other) for one, other in zip(corners, corners[1:])],
        [(float(row["x"]), float(row["y"]), 0.0) for row in measured],
        [[float(row[f"rssi_{number}"] or "nan") for number in range(1, 7)] for row in measured],
    )  # fmt: skip


def modelled_flat(flat: Flat, preset: str, seed: int, has_walls: bool = True) -> Flat:
    """The mean powers at the same places on the virtual air, about two packets each, as in the recording."""
    lines = [f"wall {x1} {y1} {x2} {y2} {WALL / 2}" for x1, y1, x2, y2 in flat.walls if has_walls]
    lines += [line_of("sensor", number, anchor) for number, anchor in enumerate(flat.anchors)]
    lines += [line_of("at", f"{number / 3:.4f}", place) for number, place in enumerate(flat.places)]
    lines += [line_of("at", f"{len(flat.places) / 3:.4f}", flat.places[-1])]
    powers: list[list[list[float]]] = [[[] for _ in flat.anchors] for _ in flat.places]
    for time, name, rssi in harness((preset, seed, 256, 16), lines):
        if time * 3 < len(powers):
            powers[int(time * 3)][int(name)].append(10 ** (rssi / 10))
    means = [[10 * math.log10(fmean(each)) if each else math.nan for each in window] for window in powers]
    return Flat(flat.anchors, flat.walls, flat.places, means)


def least_squares(rows: list[list[float]], values: list[float]) -> list[float]:
    """The coefficients of the linear function with the least squares."""
    count = len(rows[0])
    table = [
        [sum(row[i] * row[j] for row in rows) for j in range(count)] + [sum(row[i] * y for row, y in zip(rows, values))]
        for i in range(count)
    ]
    for pivot in range(count):
        for other in range(count):
            if other != pivot:
                factor = table[other][pivot] / table[pivot][pivot]
                table[other] = [a - factor * b for a, b in zip(table[other], table[pivot])]
    return [table[i][count] / table[i][i] for i in range(count)]


def flat_statistics(flat: Flat, half: str) -> dict[str, float]:
    """What is compared of the flat."""
    rows: list[list[float]] = []
    values: list[float] = []
    nearest = in_sight = windows = received = 0
    for place, rssi in zip(flat.places, flat.rssi):
        if not is_in(half, place[0], place[1]):
            continue
        logs = [10 * math.log10(math.dist(place, anchor)) for anchor in flat.anchors]
        walls = [flat.count_walls(place, anchor) for anchor in flat.anchors]
        present = [number for number in range(len(logs)) if not math.isnan(rssi[number])]
        rows += ([1.0, -logs[number], -walls[number]] for number in present)
        values += (rssi[number] for number in present)
        windows += len(logs)
        received += len(present)
        if present:
            strongest = max(present, key=lambda number: rssi[number])
            nearest += logs[strongest] == min(logs)
            in_sight += walls[strongest] == 0
    line = least_squares([row[:2] for row in rows], values)
    plane = least_squares(rows, values)
    of_line = [y - sum(a * b for a, b in zip(line, row)) for row, y in zip(rows, values)]
    of_plane = sorted(y - sum(a * b for a, b in zip(plane, row)) for row, y in zip(rows, values))
    places = sum(is_in(half, place[0], place[1]) for place in flat.places)
    return {
        "one slope: exponent": line[1],
        "one slope: residual sigma in dB": pstdev(of_line),
        "with walls: exponent": plane[1],
        "with walls: loss of a wall in dB": plane[2],
        "with walls: residual sigma in dB": pstdev(of_plane),
        "with walls: residual in dB, percentile 5": percentile(of_plane, 5),
        "windows with a packet in %": 100 * received / windows,
        "strongest anchor is in sight in %": 100 * in_sight / places,
        "strongest anchor is the nearest in %": 100 * nearest / places,
    }


def compare_flat(folder: Path, preset: str, half: str, report: Comparison) -> None:
    flat = recorded_flat(folder)
    recorded = flat_statistics(flat, half)
    for has_walls in (True, False):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            flats = pool.map(modelled_flat, repeat(flat), repeat(preset), FLAT_SEEDS, repeat(has_walls))
            runs = [flat_statistics(each, half) for each in flats]
        walls = f"{WALL:g} dB a wall" if has_walls else "without walls"
        print(f"flat, {preset}, {walls}, mean of {len(runs)} seeds: {folder.name}")
        for name, value in recorded.items():
            # Without walls on the air there is one slope, which contains them.
            if has_walls or "one slope" in name:
                bound = 5 if "nearest" in name else 0.2 * abs(value)
                report.line(name, value, fmean(run[name] for run in runs), round(bound, 2))


# --- An office, by its published means ---

OFFICE = {1: -65.5, 5: -78.4, 10: -84.1, 16: -90.8}
"""The mean RSSI in dBm by the distance in metres."""


def compare_office(preset: str, report: Comparison) -> None:
    print(f"office, preset {preset}: four distances, published means")
    for metres, recorded in OFFICE.items():
        means: list[float] = []
        # The sensors of a room share some of its shadowing: another seed is another room.
        for seed in range(40):
            angles = [2 * math.pi * number / 10 for number in range(10)]
            lines = [f"level {OFFICE[1] + 59}"]
            lines += [
                line_of("sensor", number, (metres * math.cos(angle), metres * math.sin(angle), 0.0))
                for number, angle in enumerate(angles)
            ]
            lines += [line_of("at", 5, (0, 0, 0))]
            means += (rssi for _, _, rssi in harness((preset, 2000 + seed, 160, 16), lines))
        report.line(f"mean RSSI in dBm at {metres} m", recorded, fmean(means), 2)


# --- The moving beacon ---


@dataclass
class Link:
    """The packets of one sensor on one trajectory."""

    sensor: str
    place: Place
    times: list[float] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    rssi: list[float] = field(default_factory=list)


def recorded_trajectories(folder: Path) -> list[list[Link]]:
    """The links of each trajectory."""
    first = next(line for line in (folder / "cnf" / "tetam.dev").read_text().splitlines() if line.startswith("Dongles:"))
    sensors = {mac: (tuple(place), name) for mac, (place, _, name) in json.loads(first.partition(":")[2]).items()}
    trajectories: list[list[Link]] = []
    for file in sorted((folder / "trk").glob("*_all_sensors.mbd")):
        of_file: dict[str, Link] = {}
        for line in file.read_text().splitlines():
            time, mac, _, rssi, x, y, z, *_ = line.split(",")
            place, name = sensors[mac]
            link = of_file.setdefault(mac, Link(name, place))
            link.times.append(float(time))
            link.places.append((float(x), float(y), float(z)))
            link.rssi.append(float(rssi))
        trajectories.append(list(of_file.values()))
    return trajectories


def harness(arguments: Iterable[object], lines: Iterable[str]) -> list[tuple[float, str, float]]:
    """Time, sensor and RSSI of each packet that is received on the virtual air."""
    result = subprocess.run(
        [HARNESS, *map(str, arguments)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        sys.exit(f"{HARNESS}: {result.stderr}")
    return [(float(time), name, float(rssi)) for time, name, rssi in map(str.split, result.stdout.splitlines())]


def line_of(word: str, name: object, place: Place) -> str:
    return f"{word} {name} " + " ".join(f"{each:.4f}" for each in place)


def modelled_trajectories(recorded: list[list[Link]], preset: str) -> list[list[Link]]:
    """The same trajectories on the virtual air."""
    modelled: list[list[Link]] = []
    for number, group in enumerate(recorded):
        path = sorted((time, place) for link in group for time, place in zip(link.times, link.places))
        begin, times = path[0][0], [time for time, _ in path]
        links = {link.sensor: Link(link.sensor, link.place) for link in group}
        packets = harness(
            # 100 ms, and sensors that change the channel every 10 ms.
            (preset, number + 1, 160, 16),
            [line_of("sensor", link.sensor, link.place) for link in group]
            + [line_of("at", f"{time - begin:.6f}", place) for time, place in path],
        )
        for time, name, rssi in packets:
            link = links[name]
            link.times.append(begin + time)
            link.places.append(path[max(0, bisect_right(times, begin + time) - 1)][1])
            link.rssi.append(rssi)
        modelled.append(list(links.values()))
    return modelled


@dataclass
class MovingStatistics:
    """What is compared of a moving beacon."""

    count: int
    exponents: list[float]
    deviations: list[float]
    residuals: list[float]
    correlations: list[float]


def half_of(trajectories: list[list[Link]], half: str) -> list[list[Link]]:
    """The packets at the places of a half."""
    halves: list[list[Link]] = []
    for group in trajectories:
        halves.append([])
        for link in group:
            kept = [number for number, place in enumerate(link.places) if is_in(half, place[0], place[1])]
            halves[-1].append(
                Link(link.sensor, link.place, [link.times[number] for number in kept],
                     [link.places[number] for number in kept], [link.rssi[number] for number in kept])
            )  # fmt: skip
    return halves


def moving_statistics(trajectories: list[list[Link]]) -> MovingStatistics:
    """Fits a line of RSSI over log distance for each sensor; the rest is the residual."""
    of_sensor: dict[str, list[Link]] = defaultdict(list)
    for link in sum(trajectories, []):
        if link.rssi:
            of_sensor[link.sensor].append(link)
    exponents, deviations, everything = [], [], []
    products, counts = [0.0] * len(LAGS), [0] * len(LAGS)
    for group in of_sensor.values():
        logs = [[10 * math.log10(max(math.dist(link.place, place), 0.1)) for place in link.places] for link in group]
        slope, offset = regression(sum(logs, []), [rssi for link in group for rssi in link.rssi])
        residuals = [
            [rssi - slope * log - offset for rssi, log in zip(link.rssi, each)] for link, each in zip(group, logs)
        ]
        exponents.append(-slope)
        deviations.append(pstdev(sum(residuals, [])))
        everything += sum(residuals, [])
        for link, each in zip(group, residuals):
            add_products(link, each, deviations[-1], products, counts)
    correlations = [product / max(count, 1) for product, count in zip(products, counts)]
    return MovingStatistics(len(everything), exponents, deviations, sorted(everything), correlations)


def add_products(
    link: Link, residuals: list[float], deviation: float, products: list[float], counts: list[int]
) -> None:
    """Adds the normalised products of pairs of packets whose displacement is one of LAGS, within an eighth of a metre."""
    for index, (time, place) in enumerate(zip(link.times, link.places)):
        for other in range(index + 1, len(residuals)):
            if link.times[other] - time > WINDOW:
                break
            displacement = math.dist(place, link.places[other])
            for number, lag in enumerate(LAGS):
                if abs(displacement - lag) < 0.125:
                    products[number] += residuals[index] * residuals[other] / deviation**2
                    counts[number] += 1


def regression(x: list[float], y: list[float]) -> tuple[float, float]:
    """Slope and offset of the line with the least squares."""
    mean_x, mean_y = fmean(x), fmean(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
    return slope, mean_y - slope * mean_x


def percentile(ordered: list[float], percent: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def kolmogorov(one: list[float], other: list[float]) -> float:
    """The largest difference of two distribution functions; both lists are in order."""
    return max(abs(bisect_right(one, x) / len(one) - bisect_right(other, x) / len(other)) for x in {*one, *other})


def compare_moving(folder: Path, preset: str, half: str, report: Comparison) -> None:
    trajectories = recorded_trajectories(folder)
    recorded = moving_statistics(half_of(trajectories, half))
    modelled = moving_statistics(half_of(modelled_trajectories(trajectories, preset), half))
    print(f"moving beacon, preset {preset}: {folder.name}")
    report.line("packets", recorded.count, modelled.count)
    report.line("exponent, median of sensors", median(recorded.exponents), median(modelled.exponents), 0.4)
    report.line("residual in dB, median sigma of sensors", median(recorded.deviations), median(modelled.deviations), 0.7)
    for percent in PERCENTS:
        report.line(
            f"residual in dB, percentile {percent}", percentile(recorded.residuals, percent),
            percentile(modelled.residuals, percent), 1.5)  # fmt: skip
    for lag, one, other in zip(LAGS, recorded.correlations, modelled.correlations):
        report.line(f"correlation over {lag} m", one, other, 0.06)
    report.line("Kolmogorov distance of the residuals", 0, kolmogorov(recorded.residuals, modelled.residuals))


# --- Devices at rest ---


def sniffed(file: Path) -> Iterator[tuple[bytes, int, float, bool]]:
    """Advertiser, channel and RSSI of each packet of a pcapng file of the nRF sniffer (link type 272), and whether it has the
    name of a phone of the experiment."""
    data, offset = file.read_bytes(), 0
    while offset + 12 <= len(data):
        kind = int.from_bytes(data[offset : offset + 4], "little")
        length = int.from_bytes(data[offset + 4 : offset + 8], "little")
        if length < 12 or offset + length > len(data):
            return
        if kind == 6:
            size = int.from_bytes(data[offset + 20 : offset + 24], "little")
            packet = data[offset + 28 : offset + 28 + size]
            # Board, 6 bytes of header, then length, flags (1: correct check sum), channel, RSSI, counter, time; the PDU
            # begins with its access address and header.
            if len(packet) >= 29 and packet[8] & 1 and 37 <= packet[9] <= 39 and packet[21] & 0x0F in (0, 2, 6):
                yield packet[23:29], packet[9], -float(packet[10]), b"TestPhone" in packet
        offset += length


@dataclass
class RestingStatistics:
    """What is compared of devices at rest."""

    links: int
    ranges: list[float]
    deviations: list[float]


def resting_statistics(links: Iterable[dict[int, list[float]]]) -> RestingStatistics:
    """Of links with at least 20 packets on each channel."""
    ranges, deviations = [], []
    for channels in links:
        if len(channels) == 3 and all(len(rssi) >= 20 for rssi in channels.values()):
            means = [fmean(rssi) for rssi in channels.values()]
            ranges.append(max(means) - min(means))
            deviations += [pstdev(rssi) for rssi in channels.values()]
    return RestingStatistics(len(ranges), sorted(ranges), sorted(deviations))


def recorded_resting(folder: Path, half: str) -> RestingStatistics:
    """A half has every second recording."""
    links: list[dict[int, list[float]]] = []
    for number, file in enumerate(sorted(folder.rglob("nrf52_*.pcapng"))):
        if half != "all" and number % 2 != (half == "judge"):
            continue
        of_file: dict[bytes, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        phones: set[bytes] = set()
        for advertiser, channel, rssi, is_phone in sniffed(file):
            of_file[advertiser][channel].append(rssi)
            if is_phone:
                phones.add(advertiser)
        links += (of_file[phone] for phone in phones)
    return resting_statistics(links)


def modelled_resting(preset: str) -> RestingStatistics:
    """200 receivers 1.83 m from a beacon, half a minute each: ten seconds for each channel."""
    links: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(4):
        angles = [2 * math.pi * number / 50 for number in range(50)]
        lines = [
            line_of("sensor", f"{seed}-{number}", (1.83 * math.cos(angle), 1.83 * math.sin(angle), 0.0))
            for number, angle in enumerate(angles)
        ]
        lines += [line_of("at", 30.7, (0, 0, 0))]
        for time, name, rssi in harness((preset, 1000 + seed, 160, 0x4000), lines):
            links[name][37 + int(time / 10.24) % 3].append(rssi)
    return resting_statistics(links.values())


def compare_resting(folder: Path, preset: str, half: str, report: Comparison) -> None:
    recorded, modelled = recorded_resting(folder, half), modelled_resting(preset)
    print(f"devices at rest, preset {preset}: {folder.name}")
    report.line("links", recorded.links, modelled.links)
    report.line("range of the channels' means in dB, median", median(recorded.ranges), median(modelled.ranges), 1.0)
    report.line(
        "range of the channels' means in dB, percentile 90", percentile(recorded.ranges, 90),
        percentile(modelled.ranges, 90), 1.5)  # fmt: skip
    report.line(
        "sigma within a channel in dB, median", median(recorded.deviations), median(modelled.deviations), 0.7)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="contains the data sets")
    parser.add_argument("--half", choices=HALVES, default="judge", help="the places that are compared (default: judge)")
    parser.add_argument("--flat", metavar="PRESET", default="home", help="the preset for the flat (default: home)")
    parser.add_argument("--moving", metavar="PRESET", default="hall", help="the preset for the moving beacon (default: hall)")
    parser.add_argument("--resting", metavar="PRESET", default="office", help="the preset for devices at rest (default: office)")
    options = parser.parse_args()
    report, found = Comparison(), 0
    print(f"{'':46}{'recorded':>10}{'modelled':>10}   bound")
    comparisons = (
        (FLAT, options.flat, compare_flat),
        (MOVING, options.moving, compare_moving),
        (RESTING, options.resting, compare_resting),
    )
    for name, preset, compare in comparisons:
        folder = options.folder / name
        if folder.is_dir():
            found += 1
            check_files(folder)
            compare(folder, preset, options.half, report)
    if not found:
        print(f"{options.folder} has none of {', '.join(name for name, _, _ in comparisons)}", file=sys.stderr)
        return 2
    if options.half != "fit":
        compare_office(options.resting, report)
    print(f"{report.failures} out of bounds")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
