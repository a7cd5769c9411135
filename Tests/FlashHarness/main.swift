// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// flash-harness FOLDER: a beacon whose major and minor are written as one increasing number, forever. Each number is
// printed when its write is acknowledged; the first line is the number that the beacon starts with.

import Bluetooth
import Devices
import Emulator
import Glibc
import Persistence
import Profiles
import Radio

let profile = """
    profile: harness
    beacons:
      - { id: beacon, device: iot-design-shop, ibeacon: { major: 0, minor: 0 } }
    """

func exit(saying sentence: String) -> Never {
    let line = Array("flash-harness: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(EXIT_FAILURE)
}

/// Prints at once, in one piece.
func report(_ number: UInt32) {
    let line = Array("\(number)\n".utf8)
    guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(saying: "the output is not read") }
}

func request(_ operation: AttributeRequest.Operation) -> AttributeRequest {
    AttributeRequest(
        beacon: BeaconIdentifier("beacon"), characteristic: CharacteristicIdentifier(IoTDesignShop.majorMinor),
        central: "C0:FF:EE:00:00:99", operation: operation)
}

guard CommandLine.arguments.count == 2 else { exit(saying: "usage: flash-harness FOLDER") }
let radio = AttributesOnly()
let emulator = Emulator(
    Emulator.Configuration(
        loadProfiles: { () throws(ProfileFaults) in [try Profile(parsing: profile, file: "harness.yaml")] },
        state: StateFolder(CommandLine.arguments[1])),
    radio: radio)
Task {
    do {
        try await emulator.run()
    } catch {
        exit(saying: "\(error)")
    }
}

for await attributes in radio.attributes {
    guard case .success(let value) = await attributes(request(.read(offset: 0))).response, value.count == 4 else {
        exit(saying: "major and minor cannot be read")
    }
    var number = value.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    report(number)
    while true {
        number += 1
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        guard case .success = await attributes(request(.write(offset: 0, value: bytes))).response else {
            exit(saying: "\(number) is refused")
        }
        report(number)
    }
}
