// swift-tools-version: 6.2
// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "central",
    dependencies: [.package(name: "Beaconry", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "example-central", dependencies: [.product(name: "BeaconryCentral", package: "Beaconry")],
            path: "Sources")
    ])
