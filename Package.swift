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

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

// What only the program needs. A package that depends on a library leaves it out with `traits: []`: SwiftPM neither resolves nor
// builds it then.
let program = TargetDependencyCondition.when(traits: ["Program"])
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: program)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: program)
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: program)
let unixSignals = Target.Dependency.product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: program)
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess", condition: program)
let hummingbird = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird", condition: program)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types", condition: program)
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: program)
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2", condition: program)
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2", condition: program)
let nioHTTPTypesHTTP1 = Target.Dependency.product(
    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: program)

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
    traits: [
        .trait(name: "Program", description: "The program beaconry, with its HTTP server"),
        .default(enabledTraits: ["Program"]),
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
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
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
        // The files of the page and the profile of the demonstration.
        .target(name: "EmbeddedFiles"),
        .target(name: "Space", swiftSettings: settings),
        // Values, the writer and the reader of documents, and the vocabulary of their schemas.
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "Advertising", dependencies: ["Bluetooth"], swiftSettings: settings),
        .target(name: "Bluetooth", swiftSettings: settings),
        .target(name: "HCI", dependencies: ["Bluetooth", "Space"], swiftSettings: settings),
        .target(
            name: "Devices", dependencies: ["Advertising", "Bluetooth", "Space", crypto, cryptoExtras],
            swiftSettings: settings),
        .target(
            name: "Radio", dependencies: ["Advertising", "Bluetooth", "Concurrency", "Space"],
            swiftSettings: settings),
        // What servers over NIO have in common.
        .target(name: "Sockets", dependencies: ["Bluetooth", nioCore, nioPosix], swiftSettings: settings),
        .target(name: "Protobuf", dependencies: ["Bluetooth"], swiftSettings: settings),
        // netsim's protocol for Android emulators.
        .target(
            name: "Netsim",
            dependencies: ["Bluetooth", "HCI", "Protobuf", "Sockets", nioCore, nioHPACK, nioHTTP2, nioPosix],
            swiftSettings: settings),
        .target(
            name: "ESPHomeProxy",
            dependencies: ["Bluetooth", "Concurrency", "Protobuf", "Radio", "Sockets", crypto, nioCore, nioPosix],
            swiftSettings: settings),
        .target(
            name: "Receiving", dependencies: ["Advertising", "Bluetooth", "Space"], swiftSettings: settings),
        .target(
            name: "BeaconryCentral",
            dependencies: ["Advertising", "Bluetooth", "Concurrency", "Radio", "Receiving", "Space"],
            swiftSettings: settings),
        // What actors and tasks of several targets share.
        .target(name: "Concurrency", dependencies: ["CConcurrency", heap], swiftSettings: settings),
        // Redirects the tasks of the process to a simulation: a hook of the Swift runtime with its own calling convention.
        .target(name: "CConcurrency"),
        .target(name: "DBus", dependencies: ["CDBus", "Concurrency", "DBusLibrary"], swiftSettings: settings),
        .target(
            name: "VirtualRadio", dependencies: ["Bluetooth", "HCI", "Space", crypto, cryptoExtras],
            swiftSettings: settings),
        .target(
            name: "HostStack",
            dependencies: ["Advertising", "Bluetooth", "HCI", "Space", crypto, cryptoExtras],
            swiftSettings: settings),
        // The kernel's sockets for Bluetooth, and what it says of adapters.
        .target(
            name: "KernelBluetooth", dependencies: ["Bluetooth", "CBluetooth", systemPackage],
            swiftSettings: settings),
        .target(
            name: "HCIRadio",
            dependencies: [
                "Advertising", "Bluetooth", "Concurrency", "HCI", "HostStack", "KernelBluetooth", "Radio", "Receiving",
                "Sockets", "Space", "VirtualRadio", nioCore, nioPosix, systemPackage,
                .target(name: "Netsim", condition: program),
            ],
            swiftSettings: settings),
        .target(
            name: "BlueZRadio",
            dependencies: [
                "Advertising", "Bluetooth", "CBluetooth", "Concurrency", "DBus", "HCI", "KernelBluetooth", "Radio",
                systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "BlueZService",
            dependencies: ["Advertising", "Bluetooth", "Concurrency", "DBus", "HostStack", "Radio", "Receiving"],
            swiftSettings: settings),
        .target(
            name: "Profiles",
            dependencies: ["Advertising", "Bluetooth", "CLibYAML", "Devices", "Receiving", "Space", crypto],
            swiftSettings: settings, linkerSettings: [.linkedLibrary(":libyaml.a")]),
        .target(
            name: "Persistence", dependencies: ["Bluetooth", "Devices", "Radio", systemPackage],
            swiftSettings: settings),
        .target(
            name: "Emulator",
            dependencies: [
                "Advertising", "Bluetooth", "Concurrency", "Devices", "JSON", "Persistence", "Profiles", "Radio",
                "Receiving", "Space", systemPackage,
            ],
            swiftSettings: settings),
        // Airs for tests with Swift Testing.
        .target(
            name: "BeaconryTesting",
            dependencies: [
                "BeaconryCentral", "Bluetooth", "Concurrency", "Devices", "Emulator", "HCIRadio", "JSON", "Profiles",
                "Radio", "Receiving", "RunAPI", "Space",
            ],
            swiftSettings: settings),
        // The requests of a run: each a type in one file, from which the server, the client and the descriptions follow.
        .target(
            name: "RunAPI",
            dependencies: [
                "Advertising", "Bluetooth", "Concurrency", "Devices", "Emulator", "JSON", "Profiles", "Radio",
                "Receiving", "Space",
            ],
            swiftSettings: settings),
        // The requests over HTTP.
        .target(
            name: "RunServer",
            dependencies: [
                "Bluetooth", "CMalloc", "Concurrency", "Devices", "EmbeddedFiles", "Emulator", "JSON", "Persistence",
                "Radio", "RunAPI", "Sockets", deque, httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioPosix,
            ],
            exclude: ["Resources"], swiftSettings: settings),
        // The client of these requests.
        .target(
            name: "RunClient",
            dependencies: ["Bluetooth", "Emulator", "Persistence", "RunAPI", "Sockets", nioCore, nioHTTP1, nioPosix],
            swiftSettings: settings),
        // The work of the commands, without their options.
        .target(
            name: "BeaconryTools",
            dependencies: [
                "Advertising", "BeaconryCentral", "BlueZRadio", "BlueZService", "Bluetooth", "Concurrency", "DBus",
                "Devices", "ESPHomeProxy", "Emulator", "HCI", "HCIRadio", "JSON", "KernelBluetooth", "Persistence",
                "Profiles", "Radio", "Receiving", "RunAPI", "RunClient", "Sockets", "Space", deque, subprocess,
                systemPackage, unixSignals,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "beaconry",
            dependencies: [
                "Advertising", "BeaconryTools", "BlueZRadio", "BlueZService", "Bluetooth", "BuildInformation",
                "CCapability", "CMalloc", "Concurrency", "Devices", "ESPHomeProxy", "EmbeddedFiles", "Emulator",
                "HCIRadio", "JSON",
                "Persistence", "Profiles", "Radio", "Receiving", "RunAPI", "RunServer", "Sockets", "Space",
                argumentParser, logging, serviceLifecycle, unixSignals,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "beaconry-fuzz",
            dependencies: [
                "Advertising", "BeaconryTools", "Bluetooth", "Concurrency", "DBus", "Devices", "ESPHomeProxy",
                "Emulator",
                "HCI", "HostStack", "JSON", "Netsim", "Profiles", "Receiving", "RunAPI", "TestSupport", "VirtualRadio",
                nioCore, nioEmbedded,
            ],
            path: "Tests/Fuzz", swiftSettings: settings),
        // Writes to flash until it is killed, for the test that kills it.
        .executableTarget(
            name: "flash-harness",
            dependencies: ["Advertising", "Bluetooth", "Devices", "Emulator", "Persistence", "Profiles", "Radio"],
            path: "Tests/FlashHarness", swiftSettings: settings),
        // Carries the trajectories of recordings to the virtual air, for Tests/Recordings/compare.py.
        .executableTarget(
            name: "physics-harness", dependencies: ["Bluetooth", "HCI", "Profiles", "Space", "VirtualRadio"],
            path: "Tests/PhysicsHarness", swiftSettings: settings),
        // Plays the phone for tests and benchmarks against peers that others wrote.
        .executableTarget(
            name: "central-harness",
            dependencies: [
                "BeaconryCentral", "BlueZRadio", "Bluetooth", "CMalloc", "HCIRadio", "Radio", "VirtualRadio",
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
            name: "ExampleTests", dependencies: ["BeaconryTesting"],
            path: "examples/swift-testing/Tests",
            packageAccess: false, swiftSettings: settings),
        // What `make bench` measures without peers.
        .executableTarget(
            name: "beaconry-bench",
            dependencies: [
                "Advertising", "Bluetooth", "HCI", "HCIRadio", "Radio", "Receiving", "Space", "VirtualRadio",
            ],
            path: "Benchmarks/VirtualTime", swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Bluetooth", "SanitizedLocks"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(name: "SanitizedLocks", path: "Tests/SanitizedLocks"),
        .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: settings),
        .testTarget(
            name: "BeaconryTestingTests", dependencies: ["BeaconryTesting", "Radio", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "RunServerTests",
            dependencies: [
                "Bluetooth", "Concurrency", "Devices", "Emulator", "HCIRadio", "JSON", "Profiles", "Radio", "RunAPI",
                "RunServer", "Space", "TestTraits", httpTypes, nioCore,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RunAPITests",
            dependencies: ["Bluetooth", "Devices", "Emulator", "JSON", "Radio", "Receiving", "RunAPI", "Space"],
            swiftSettings: settings),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "BluetoothTests", dependencies: ["Bluetooth", "Space", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
        .testTarget(
            name: "AdvertisingTests", dependencies: ["Advertising", "Bluetooth", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "HCITests", dependencies: ["Bluetooth", "HCI", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "VirtualRadioTests", dependencies: ["Bluetooth", "HCI", "Space", "TestSupport", "VirtualRadio"],
            swiftSettings: settings),
        .testTarget(
            name: "HostStackTests",
            dependencies: [
                "Advertising", "Bluetooth", "CMalloc", "HCI", "HostStack", "Space", "TestSupport", "VirtualRadio",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HCIRadioTests",
            dependencies: [
                "Advertising", "Bluetooth", "Concurrency", "HCI", "HCIRadio", "HostStack", "Radio", "Receiving",
                "Sockets", "Space", "TestTraits", "VirtualRadio", nioCore, nioEmbedded, nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ESPHomeProxyTests",
            dependencies: [
                "Advertising", "Bluetooth", "ESPHomeProxy", "HCIRadio", "Protobuf", "Radio", "Space", "TestSupport",
                "TestTraits", "VirtualRadio", nioCore, nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetsimTests", dependencies: ["Bluetooth", "HCI", "Netsim", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DevicesTests",
            dependencies: ["Advertising", "Bluetooth", "Devices", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ReceivingTests", dependencies: ["Advertising", "Bluetooth", "Receiving", "Space", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BeaconryCentralTests",
            dependencies: [
                "Advertising", "BeaconryCentral", "Bluetooth", "Concurrency", "HCI", "HCIRadio", "HostStack", "Radio",
                "Receiving", "TestSupport", "TestTraits", "VirtualRadio", "central-harness",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DBusTests", dependencies: ["Bluetooth", "DBus", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "BlueZRadioTests",
            dependencies: [
                "Advertising", "BlueZRadio", "Bluetooth", "DBus", "HCI", "KernelBluetooth", "Radio", "TestSupport",
                "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BlueZServiceTests",
            dependencies: [
                "Advertising", "BlueZService", "Bluetooth", "DBus", "HCIRadio", "Radio", "Receiving", "TestSupport",
                "TestTraits", "VirtualRadio",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ProfilesTests",
            dependencies: ["Advertising", "Bluetooth", "Devices", "Profiles", "Receiving", "Space", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BeaconryToolsTests",
            dependencies: [
                "Advertising", "BeaconryCentral", "BeaconryTools", "BlueZRadio", "Bluetooth", "Concurrency", "Devices",
                "Emulator", "HCIRadio", "JSON", "KernelBluetooth", "Persistence", "Profiles", "Radio", "Receiving",
                "Space", "TestSupport", "TestTraits", systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EmulatorTests",
            dependencies: [
                "Advertising", "Bluetooth", "Concurrency", "Devices", "Emulator", "HCI", "HostStack", "JSON",
                "Persistence", "Profiles", "Radio", "Receiving", "RunAPI", "RunClient", "RunServer", "Sockets", "Space",
                "TestSupport", "TestTraits", "VirtualRadio", "flash-harness", systemPackage,
            ],
            swiftSettings: settings),
    ]
)
