// swift-tools-version: 6.0
// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Core Location's classes were annotated for Swift 6 release by release. In Swift 5 mode, a version of the SDK in which one is
// not Sendable gives a warning, not an error.
let appleFeatures = features + [.swiftLanguageMode(.v5)]

let package = Package(
    name: "BeaconrySimulator",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        // Beacons in Core Location, for apps that install them themselves.
        .library(name: "BeaconryCoreLocation", targets: ["BeaconryCoreLocation"]),
        // The same for an app that is not changed: inserted by dyld.
        .library(name: "BeaconryInjection", type: .dynamic, targets: ["BeaconryInjection"]),
        // The protocol RegionMonitoring with CLMonitor; nothing of Beaconry, so that a release build can have it.
        .library(name: "BeaconRegions", targets: ["BeaconRegions"]),
        // RegionMonitoring with Beaconry, and what decides about delegate calls.
        .library(name: "BeaconryLogic", targets: ["BeaconryLogic"]),
        // Server-sent events of a run.
        .library(name: "BeaconryStream", targets: ["BeaconryStream"]),
    ],
    targets: [
        .target(name: "BeaconRegions", swiftSettings: appleFeatures),
        .target(name: "BeaconryStream", swiftSettings: features),
        .target(name: "BeaconryLogic", dependencies: ["BeaconRegions", "BeaconryStream"], swiftSettings: features),
        .target(
            name: "BeaconryCoreLocation", dependencies: ["BeaconRegions", "BeaconryLogic", "BeaconryStream"],
            swiftSettings: appleFeatures),
        .target(name: "BeaconryInjection", dependencies: ["BeaconryCoreLocation"]),
        .testTarget(
            name: "BeaconrySimulatorTests", dependencies: ["BeaconRegions", "BeaconryLogic", "BeaconryStream"],
            swiftSettings: features),
    ]
)
