// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import Space

/// The shapes of the values that `ValueText` reads, under the names of its functions.
extension ValueShape {
    package static let name = ValueShape.pattern("[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", looksLike: .scalar)
    package static let label = ValueShape.text(1...100)
    package static let message = ValueShape.text(1...1000)
    package static let localName = ValueShape.text(1...248)
    package static let interval = ValueShape.pattern("[0-9]+ *ticks?|\(decimal) *m?s")
    package static let duration = ValueShape.pattern("\(decimal) *(ms|s|m|h)")
    package static let bluetoothUUID = ValueShape.pattern(
        "(0x)?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|\(uuidDigits))", looksLike: .digits)
    package static let unsigned16 = ValueShape.integer(0...65535, isHexadecimal: true)
    package static let measuredPower = ValueShape.integer(-128...127, unit: "dBm", isHexadecimal: true)
    package static let transmitPower = ValueShape.integer(-127...20, unit: "dBm")
    package static let hardwarePower = ValueShape.either([.choice(["0", "-6", "-23"]), .pattern("(0|-6|-23) *dBm")])
    package static let address = ValueShape.pattern("([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
    package static let flags = ValueShape.either([.choice(["none"]), .integer(0...255, isHexadecimal: true)])
    package static let payload = ValueShape.pasted(0...AdvertisingPDU.capacity)
    package static let octets = ValueShape.bytes(0...Int.max)
    package static let metres = ValueShape.number(-10_000...10_000)
    package static let speed = ValueShape.number(0.001...1000, unit: "m/s")
    package static let pdu = ValueShape.choice(of: AdvertisingPDU.self)
    package static let physics = ValueShape.choice(Propagation.environments.map(\.name) + ["off"])
    package static let exponent = ValueShape.number(0...10)
    package static let decibels = ValueShape.number(0...100, unit: "dB")
    package static let sensitivity = ValueShape.number(-150...0, unit: "dBm")
    package static let burst = ValueShape.number(0.01...100, unit: "ms")
    package static let height = ValueShape.number(-10_000...10_000, unit: "m")
    package static let material = ValueShape.choice(Material.allCases.map(\.rawValue))
    package static let wallLoss = ValueShape.either([material, decibels])
    package static let width = ValueShape.number(0.1...10_000, unit: "m")
    package static let distance = ValueShape.number(0.01...1000, unit: "m")
    package static let ratio = ValueShape.number(0...1000)
    package static let percentage = ValueShape.number(0...100, unit: "%")
    package static let degrees = ValueShape.number(-360...360)
    package static let attributeError = ValueShape.integer(1...255, isHexadecimal: true)
    /// A byte, and two bytes, decimal or hexadecimal.
    package static let byte = ValueShape.integer(0...255, isHexadecimal: true)
    package static let word = ValueShape.integer(0...65535, isHexadecimal: true)
    /// A name without a dot.
    package static let attributeName = ValueShape.pattern("[A-Za-z0-9_-]{1,64}", looksLike: .integer)

    private static let decimal = "[0-9]{1,9}([.][0-9]*)?"
}
