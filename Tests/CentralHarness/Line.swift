// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import FoundationEssentials
import Glibc
import Radio

/// A line of output.
struct Line: Encodable {
    var event: String
    var command: String?
    var device: String?
    var pdu: String?
    var data: String?
    var rssi: Int8?
    var service: String?
    var characteristic: String?
    var descriptor: String?
    var handle: UInt16?
    var properties: UInt8?
    var value: String?
    var error: String?
    /// The kind of an error: `refused`, `disconnected`, `impossible`, or the code of a `RadioError`.
    var kind: String?
    /// The number of an ATT error.
    var code: UInt8?
    var seconds: Double?
    var count: Int?
    var limits: [String]?
    var way: String?
    var state: String?
    var authenticated: Bool?

    static func failed(_ error: String) -> Line {
        Line(event: "failed", error: error)
    }

    func print() {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let bytes = [UInt8](data) + [UInt8(ascii: "\n")]
        // Not through stdio: flushing it would wait for another thread that reads standard input.
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

extension Line {
    init(_ sighting: Sighting) {
        self.init(event: "heard")
        device = sighting.device.description
        pdu = sighting.pdu?.rawValue
        data = Hexadecimal.string(sighting.data)
        rssi = sighting.rssi?.decibelMilliwatts
    }

    init(_ characteristic: RemoteCharacteristic, of service: RemoteService) {
        self.init(event: "characteristic")
        self.service = "\(service.uuid)"
        self.characteristic = "\(characteristic.uuid)"
        handle = characteristic.value.rawValue
        properties = characteristic.properties.rawValue
    }

    /// The error of a failed command.
    init(_ command: String, _ error: any Error) {
        self.init(event: "failed")
        self.command = command
        self.error = "\(error)"
        switch error {
        case let error as RadioError: kind = error.code.rawValue
        case RemoteError.refused(let refusal):
            kind = "refused"
            code = refusal.rawValue
        case RemoteError.disconnected: kind = "disconnected"
        case let error as PairingError: kind = error.code.rawValue
        case RemoteError.impossible: kind = "impossible"
        default: break
        }
    }
}
