// swift-tools-version: 6.2
// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "swift-testing",
    dependencies: [.package(name: "Beaconry", path: "../..", traits: [])],
    targets: [
        .testTarget(
            name: "ExampleTests", dependencies: [.product(name: "BeaconryTesting", package: "Beaconry")], path: "Tests")
    ])
