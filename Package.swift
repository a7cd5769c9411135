// swift-tools-version: 6.2
// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let hummingbird = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

// The commit that --version prints; make and the Dockerfile give it. Context.gitInformation would need neither, but
// SwiftPM keeps what a manifest said until the manifest or the environment changes, so that it would name an old commit.
let commit = Context.environment["BEACONRY_COMMIT"].map { String($0.prefix { $0.isHexDigit }.prefix(12)) }

let package = Package(
    name: "Beaconry",
    products: [
        .executable(name: "beaconry", targets: ["beaconry"]),
        // The central API, with the radios that it can be opened on.
        .library(name: "BeaconryCentral", targets: ["BeaconryCentral", "HCIRadio", "BlueZRadio"]),
        // Beacons on a virtual air in the process of a test, for Swift Testing.
        .library(name: "BeaconryTesting", targets: ["BeaconryTesting"]),
    ],
    // Ranges, so that the libraries resolve beside what an app has already. A release records the versions that it was built
    // from in its bill of materials (Scripts/sbom).
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // Without their traits, which need the whole of Foundation.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // Which target may import which is a rule of its own, checked by Scripts/check-imports.
        .systemLibrary(
            name: "CDBus", path: "Sources/CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // The functions of libdbus, which is loaded if it is there.
        .target(name: "DBusLibrary", dependencies: ["CDBus"]),
        // Headers only: Profiles links the static library, so that the program runs without libyaml.
        .systemLibrary(name: "CLibYAML", path: "Sources/CLibYAML", providers: [.apt(["libyaml-dev"])]),
        // Headers only: without pkg-config nothing of libbluetooth is linked.
        .systemLibrary(name: "CBluetooth", path: "Sources/CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
        // The kernel's calls for the capabilities of a thread: glibc has them, and no header for them.
        .systemLibrary(name: "CCapability", path: "Sources/CCapability"),
        // glibc's knobs of its heap, which Swift's Glibc module leaves out.
        .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
        .target(
            name: "BuildInformation",
            cSettings: (commit ?? "").isEmpty ? [] : [.define("BEACONRY_COMMIT", to: commit)]),
        .target(name: "BluetoothCore", swiftSettings: settings),
        .target(name: "Advertising", dependencies: ["BluetoothCore"], swiftSettings: settings),
        .target(name: "Bluetooth", dependencies: ["BluetoothCore"], swiftSettings: settings),
        .target(name: "HCI", dependencies: ["BluetoothCore"], swiftSettings: settings),
        .target(name: "Devices", dependencies: ["BluetoothCore", "Advertising", "Bluetooth"], swiftSettings: settings),
        .target(
            name: "Radio", dependencies: ["BluetoothCore", "Advertising", "Bluetooth", "Concurrency", "Receiving"],
            swiftSettings: settings),
        // What servers over NIO have in common.
        .target(name: "Sockets", dependencies: ["BluetoothCore", nioCore, nioPosix], swiftSettings: settings),
        .target(
            name: "ESPHomeProxy",
            dependencies: [
                "BluetoothCore", "Bluetooth", "Concurrency", "Radio", "Sockets", crypto, nioCore, nioPosix,
            ],
            swiftSettings: settings),
        .target(
            name: "Receiving", dependencies: ["BluetoothCore", "Advertising", "Bluetooth"], swiftSettings: settings),
        .target(
            name: "BeaconryCentral",
            dependencies: ["BluetoothCore", "Advertising", "Bluetooth", "Concurrency", "Radio", "Receiving"],
            swiftSettings: settings),
        // What actors and tasks of several targets share.
        .target(name: "Concurrency", dependencies: ["CConcurrency", heap], swiftSettings: settings),
        // Redirects the tasks of the process to a simulation: a hook of the Swift runtime with its own calling convention.
        .target(name: "CConcurrency"),
        .target(name: "DBus", dependencies: ["CDBus", "DBusLibrary", "Concurrency"], swiftSettings: settings),
        .target(
            name: "VirtualRadio", dependencies: ["BluetoothCore", "HCI", crypto, cryptoExtras], swiftSettings: settings),
        .target(
            name: "HostStack",
            dependencies: ["BluetoothCore", "HCI", "Bluetooth", "Advertising", crypto, cryptoExtras],
            swiftSettings: settings),
        // The kernel's sockets for Bluetooth, and what it says of adapters.
        .target(
            name: "KernelBluetooth", dependencies: ["BluetoothCore", "CBluetooth", systemPackage],
            swiftSettings: settings),
        .target(
            name: "HCIRadio",
            dependencies: [
                "BluetoothCore", "Radio", "HostStack", "VirtualRadio", "HCI", "Advertising", "Bluetooth",
                "Concurrency", "KernelBluetooth", "Sockets", nioCore, nioPosix, systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "BlueZRadio",
            dependencies: [
                "BluetoothCore", "Concurrency", "KernelBluetooth", "Radio", "DBus", "HCI", "Advertising", "Bluetooth",
                "CBluetooth", systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "BlueZService",
            dependencies: [
                "BluetoothCore", "Concurrency", "Radio", "DBus", "Advertising", "Bluetooth", "Receiving",
            ],
            swiftSettings: settings),
        .target(
            name: "Profiles",
            dependencies: ["BluetoothCore", "Devices", "Advertising", "Bluetooth", "Receiving", "CLibYAML"],
            swiftSettings: settings, linkerSettings: [.linkedLibrary(":libyaml.a")]),
        .target(
            name: "Persistence", dependencies: ["BluetoothCore", "Devices", "Radio", systemPackage],
            swiftSettings: settings),
        .target(
            name: "Emulator",
            dependencies: [
                "BluetoothCore", "Concurrency", "Persistence", "Profiles", "Devices", "Radio", "Receiving",
                "Advertising",
                "Bluetooth", serviceLifecycle, systemPackage,
            ],
            swiftSettings: settings),
        // Airs for tests with Swift Testing.
        .target(
            name: "BeaconryTesting",
            dependencies: [
                "BluetoothCore", "Bluetooth", "Concurrency", "Devices", "HCIRadio", "Profiles", "Emulator", "Receiving",
                "BeaconryCentral",
            ],
            swiftSettings: settings),
        // The requests of a run: each a type in one file, from which the server, the client and the descriptions follow.
        .target(
            name: "Operations",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "Concurrency", "Devices", "Emulator", "Profiles", "Radio",
                "Receiving",
            ],
            swiftSettings: settings),
        // The requests over HTTP.
        .target(
            name: "ControlAPI",
            dependencies: [
                "BluetoothCore", "Devices", "Emulator", "Operations", "Persistence", "Radio", "Sockets", hummingbird,
                httpTypes, nioHTTPTypes, logging, nioCore, nioPosix,
            ],
            resources: [.embedInCode("Resources")], swiftSettings: settings),
        // The client of these requests.
        .target(
            name: "ControlClient",
            dependencies: [
                "BluetoothCore", "Emulator", "Operations", "Persistence", "Sockets", nioCore, nioHTTP1, nioPosix,
            ],
            swiftSettings: settings),
        // The work of the commands, without their options.
        .target(
            name: "BeaconryTools",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "Concurrency", "HCI", "DBus", "Devices", "Radio",
                "BlueZRadio", "BlueZService", "HCIRadio", "ESPHomeProxy", "Profiles", "Persistence", "Emulator",
                "Receiving", "BeaconryCentral", "Operations", "ControlClient", "KernelBluetooth", "Sockets",
                unixSignals,
                subprocess, systemPackage, deque,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "beaconry",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "BlueZRadio", "BlueZService", "Concurrency", "Devices",
                "Radio",
                "ControlAPI", "Operations", "HCIRadio", "Sockets",
                "ESPHomeProxy", "Profiles", "Persistence", "Emulator", "Receiving", "BeaconryTools", "BuildInformation",
                "CCapability", "CMalloc", argumentParser, logging,
                serviceLifecycle, unixSignals,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "beaconry-fuzz",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "HCI", "HostStack", "VirtualRadio", "DBus", "Devices",
                "Concurrency", "ESPHomeProxy", "Profiles", "Emulator", "Operations", "TestSupport",
            ],
            path: "Tests/Fuzz", swiftSettings: settings),
        // Writes to flash until it is killed, for the test that kills it.
        .executableTarget(
            name: "flash-harness",
            dependencies: ["BluetoothCore", "Advertising", "Devices", "Radio", "Profiles", "Persistence", "Emulator"],
            path: "Tests/FlashHarness", swiftSettings: settings),
        // Carries the trajectories of recordings to the virtual air, for Tests/Recordings/compare.py.
        .executableTarget(
            name: "physics-harness", dependencies: ["BluetoothCore", "HCI", "VirtualRadio"],
            path: "Tests/PhysicsHarness", swiftSettings: settings),
        // Plays the phone for tests and benchmarks against peers that others wrote.
        .executableTarget(
            name: "central-harness",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "Radio", "VirtualRadio", "HCIRadio", "BlueZRadio",
                "BeaconryCentral", "CMalloc",
            ],
            path: "Tests/CentralHarness", swiftSettings: settings),
        // The sources of the package examples/central, so that they are compiled and tested with the rest, with public
        // declarations only.
        .executableTarget(
            name: "example-central", dependencies: ["BeaconryCentral", "HCIRadio"], path: "examples/central/Sources",
            packageAccess: false, swiftSettings: settings),
        // The tests of the package examples/swift-testing, so that they are compiled and run with the rest, with public
        // declarations only.
        .testTarget(
            name: "ExampleTests", dependencies: ["BeaconryTesting"], path: "examples/swift-testing/Tests",
            packageAccess: false, swiftSettings: settings),
        // What `make bench` measures without peers.
        .executableTarget(
            name: "beaconry-bench",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "HCI", "VirtualRadio", "Radio", "HCIRadio", "Receiving",
            ],
            path: "Benchmarks/VirtualTime", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["BluetoothCore", "SanitizedLocks"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(name: "SanitizedLocks", path: "Tests/SanitizedLocks"),
        .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: settings),
        .testTarget(
            name: "BeaconryTestingTests", dependencies: ["BeaconryCentral", "BeaconryTesting", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "ControlAPITests",
            dependencies: [
                "BluetoothCore", "Concurrency", "ControlAPI", "Devices", "Emulator", "HCIRadio", "Operations",
                "Profiles",
                "Radio", httpTypes, nioCore, "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "OperationsTests",
            dependencies: ["BluetoothCore", "Devices", "Emulator", "Operations", "Radio", "Receiving"],
            swiftSettings: settings),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "BluetoothCoreTests", dependencies: ["BluetoothCore", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "AdvertisingTests", dependencies: ["BluetoothCore", "Advertising", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "HCITests", dependencies: ["BluetoothCore", "HCI", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "VirtualRadioTests", dependencies: ["BluetoothCore", "HCI", "VirtualRadio", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HostStackTests",
            dependencies: [
                "BluetoothCore", "HCI", "Bluetooth", "Advertising", "HostStack", "VirtualRadio", "CMalloc",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HCIRadioTests",
            dependencies: [
                "BluetoothCore", "HCI", "Bluetooth", "Advertising", "Concurrency", "Radio", "HostStack",
                "VirtualRadio", "HCIRadio", "Sockets", "TestSupport", "TestTraits", nioCore, nioEmbedded, nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ESPHomeProxyTests",
            dependencies: [
                "BluetoothCore", "Advertising", "Bluetooth", "Radio", "VirtualRadio", "HCIRadio", "ESPHomeProxy",
                "TestSupport", "TestTraits", nioCore, nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DevicesTests",
            dependencies: ["BluetoothCore", "Advertising", "Bluetooth", "Devices", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ReceivingTests", dependencies: ["BluetoothCore", "Advertising", "Receiving", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BeaconryCentralTests",
            dependencies: [
                "BluetoothCore", "HCI", "Advertising", "Bluetooth", "Concurrency", "Radio", "Receiving",
                "BeaconryCentral", "HostStack", "VirtualRadio", "HCIRadio", "TestSupport", "TestTraits",
                "central-harness",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DBusTests", dependencies: ["BluetoothCore", "DBus", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "BlueZRadioTests",
            dependencies: [
                "BluetoothCore", "KernelBluetooth", "Radio", "BlueZRadio", "Advertising", "Bluetooth", "HCI", "DBus",
                "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BlueZServiceTests",
            dependencies: [
                "BluetoothCore", "Radio", "BlueZService", "Advertising", "Bluetooth", "DBus", "Receiving", "HCIRadio",
                "VirtualRadio",
                "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ProfilesTests",
            dependencies: ["BluetoothCore", "Advertising", "Bluetooth", "Devices", "Profiles", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BeaconryToolsTests",
            dependencies: [
                "BluetoothCore", "Advertising", "Devices", "Radio", "BlueZRadio", "Profiles", "Persistence", "Emulator",
                "Receiving", "BeaconryCentral", "BeaconryTools", "Bluetooth", "Concurrency", "HCIRadio",
                "KernelBluetooth", "TestSupport", "TestTraits", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EmulatorTests",
            dependencies: [
                "BluetoothCore", "Concurrency", "Advertising", "Bluetooth", "Devices", "Radio", "Profiles",
                "Persistence", "Emulator", "Operations", "ControlAPI", "ControlClient", "HCI", "HostStack", "Sockets",
                "VirtualRadio", "TestSupport", "TestTraits",
                "flash-harness", logging, serviceLifecycle, systemPackage,
            ],
            swiftSettings: settings),
    ]
)
