// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension FuzzTarget {
    /// HCI commands and the event that completes them: the first byte chooses which.
    static let hci = FuzzTarget(name: "hci") { generator in
        let kind = UInt8.random(in: 0...255, using: &generator)
        let isNoise = Bool.random(using: &generator)
        return [kind] + (isNoise ? Mutation.noise(64, &generator) : Mutation.damaged(samples, &generator))
    } parse: { bytes in
        guard let kind = bytes.first else { return .refused }
        return parsers[Int(kind) % parsers.count](Array(bytes.dropFirst()))
    }

    private static let parsers: [@Sendable ([UInt8]) -> Outcome] = [
        parser(HCICommandComplete.self), parser(LESetRandomAddress.self), parser(LESetAdvertisingParameters.self),
        parser(LESetAdvertisingData.self), parser(LESetScanResponseData.self), parser(LESetAdvertisingEnable.self),
        parser(LESetAdvertisingSetRandomAddress.self), parser(LESetExtendedAdvertisingParameters.self),
        parser(LESetExtendedAdvertisingData.self), parser(LESetExtendedScanResponseData.self),
        parser(LESetExtendedAdvertisingEnable.self), parser(LERemoveAdvertisingSet.self),
        parser(LEClearAdvertisingSets.self), parser(HCIReset.self),
    ]

    private static func parser<Value: WireCodable>(_: Value.Type) -> @Sendable ([UInt8]) -> Outcome {
        { bytes in
            do throws(WireError) {
                let value = try Value(parsing: bytes)
                guard value.serialized() == bytes else {
                    FuzzReport.fail("\(Value.self) \(Hexadecimal.string(bytes)) is written as \(value.serialized())")
                }
                return .parsed
            } catch {
                guard 0...bytes.count ~= error.offset else { FuzzReport.fail("\(error) is outside of its input") }
                return .refused
            }
        }
    }

    private static let samples = [
        "010820000000", "0100ffeec0", "a000a0000000000000000000000700",
        "010300020201061aff4c0002", "1f0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c500",
        "011300a00000a0000007010000000000000000007f0100010000", "010101000000", "01", "",
    ].map { (try? Hexadecimal.bytes($0)) ?? [] }
}
