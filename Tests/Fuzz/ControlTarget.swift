// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Emulator
import TestSupport

extension FuzzTarget {
    /// Lines of the control socket: a request, which serializes to an equal one, or an error message.
    static let control = FuzzTarget(name: "control") { generator in
        switch Int.random(in: 0...9, using: &generator) {
        case 0: Mutation.noise(128, &generator)
        case 1: nested(&generator)
        case 2, 3, 4: replaced(&generator)
        default: Mutation.damaged(samples, &generator)
        }
    } parse: { bytes in
        do throws(EmulatorError) {
            let request = try ControlRequest(parsing: bytes)
            let line = Array(JSONLine.encode(request).utf8)
            guard try ControlRequest(parsing: line) == request, !line.contains(UInt8(ascii: "\n")) else {
                FuzzReport.fail("request \(Hexadecimal.string(bytes)) does not serialize to an equal one")
            }
            return .parsed
        } catch {
            guard !error.message.isEmpty, error.exitCode == 65 else { FuzzReport.fail("\(error) has no message") }
            return .refused
        }
    }

    private static let samples = [
        #"{"v":1,"command":"list"}"#, #"{"v":1,"command":"show","device":"entrance"}"#,
        #"{"v":1,"command":"set","device":"entrance","values":{"major":"1","interval":"100ms","uuid":"\u00fc"}}"#,
        #"{"v":1,"command":"disconnect","device":"door","peer":"phone","reason":"remote-user"}"#,
        #"{"v":1,"command":"mute","device":"door","for":"10s"}"#, #"{"v":1,"command":"radio","state":"off"}"#,
        #"{"command":"events","v":1,"extra":[1,2.5e3,null,true,{"a":"\ud83d\udce1"}]}"#,
    ].map { Array($0.utf8) }

    /// JSON that is difficult for parsers.
    private static let tokens = [
        "1e400", "-0", "1.0", "99999999999999999999", "null", "true", "[]", "{}", #""\ud800""#, #""\u0000""#,
        "\"\u{FEFF}\"", #"{"v":1}"#, "1,\"v\":2", " ", "\"list\"", "\"reload\"", "\t1\r", "//", "0x10", "NaN", "1e2",
        "\"\\\"",
    ]

    /// A sample with a replaced value.
    private static func replaced(_ generator: inout SplitMix64) -> [UInt8] {
        let bytes = samples.randomElement(using: &generator) ?? []
        let token = Array((tokens.randomElement(using: &generator) ?? "").utf8)
        let starts = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard let start = starts.randomElement(using: &generator) else { return token }
        let rest = bytes[(start + 1)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? rest.endIndex
        return bytes[...start] + token + bytes[end...]
    }

    /// A request with a deeply nested value.
    private static func nested(_ generator: inout SplitMix64) -> [UInt8] {
        let greatest = Int.random(in: 0...50, using: &generator) == 0 ? 30_000 : 600
        let depth = Int.random(in: 0...greatest, using: &generator)
        let (open, close) = Bool.random(using: &generator) ? ("[", "]") : (#"{"a":"#, "}")
        var value = String(repeating: open, count: depth) + "1"
        if Bool.random(using: &generator) { value += String(repeating: close, count: depth) }
        return Array(#"{"v":1,"command":"list","extra":\#(value)}"#.utf8)
    }
}
