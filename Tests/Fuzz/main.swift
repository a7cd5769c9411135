// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// beaconry-fuzz [--iterations N] [--seed S] [--target NAME] [--trace]: feeds every parser of bytes from outside with
// damaged and random input, slow ones with a share of the iterations unless they are the target. A trap ends the process;
// with --trace, the last line is the input that caused it.

import Glibc

let arguments: FuzzArguments
do {
    arguments = try FuzzArguments(CommandLine.arguments.dropFirst())
} catch {
    FuzzReport.fail("\(error.message); usage: beaconry-fuzz [--iterations N] [--seed S] [--target NAME] [--trace]")
}

let targets: [FuzzTarget] = [
    .advertising, .hci, .controller, .btsnoop, .capture, .dbus, .control, .profile, .lists, .beaconList, .smp, .ancs,
    .esphome, .esphomeClient, .netsim, .netsimConnection,
]
let chosen = targets.filter { arguments.target == nil || arguments.target == $0.name }
guard !chosen.isEmpty else {
    FuzzReport.fail("no such target; targets are \(targets.map(\.name).joined(separator: ", "))")
}

var isWorthLittle = false
for target in chosen {
    let divisor = arguments.target == nil ? target.divisor : 1
    let report = target.run(
        iterations: arguments.iterations / divisor, seed: arguments.seed, traces: arguments.traces)
    print(report.line)
    fflush(nil)
    // A target that only accepts or only refuses has not been tested.
    isWorthLittle = isWorthLittle || report.parsed == 0 || report.refused == 0
}
if isWorthLittle { FuzzReport.fail("a target accepted nothing or refused nothing: its inputs are unsuitable") }
