// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The value of the PnP ID characteristic (Device Information Service 1.1, 3.9): vendor, product and version of a device.
struct ProductIdentifier: Hashable {
    /// Who assigned the vendor's number.
    private enum Source: UInt8 {
        case bluetooth = 1
        case usb = 2
    }

    private let source: Source
    private let vendor: UInt16
    private let product: UInt16
    private let version: UInt16

    /// The identifier of the adapters: the Linux Foundation's BlueZ.
    static let adapter = ProductIdentifier(.usb, vendor: 0x1D6B, product: 0x0246, version: 0x0542)

    private init(_ source: Source, vendor: UInt16, product: UInt16, version: UInt16) {
        self.source = source
        self.vendor = vendor
        self.product = product
        self.version = version
    }

    /// - Parameter value: 7 bytes; numbers have the least significant byte first.
    /// - Returns: `nil` for another length, and for a source that is not assigned.
    init?(_ value: [UInt8]) {
        guard value.count == 7, let source = Source(rawValue: value[0]) else { return nil }
        func number(at place: Int) -> UInt16 { UInt16(value[place]) | UInt16(value[place + 1]) << 8 }
        self.source = source
        vendor = number(at: 1)
        product = number(at: 3)
        version = number(at: 5)
    }

    /// The value of the characteristic.
    var value: [UInt8] {
        [source.rawValue] + [vendor, product, version].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// The form of `Device1.Modalias`, which the kernel uses for USB devices: `usb:v1D6Bp0246d0542`.
    var modalias: String {
        func digits(_ number: UInt16) -> String {
            Hexadecimal.string([UInt8(number >> 8), UInt8(number & 0xFF)]).uppercased()
        }
        return "\(source):v\(digits(vendor))p\(digits(product))d\(digits(version))"
    }
}
