// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Dispatch
import Emulator
import JSON
import RunAPI
import TestSupport

extension FuzzTarget {
    /// Operations with their values: a request, whose body is valid, or an error message.
    static let control = FuzzTarget(name: "control") { generator in
        switch Int.random(in: 0...9, using: &generator) {
        case 0: Mutation.noise(128, &generator)
        case 1: nested(&generator)
        case 2: rate(&generator)
        case 3, 4: replaced(&generator)
        default: Mutation.damaged(samples, &generator)
        }
    } parse: { bytes in
        let members: [String: JSONValue]
        do throws(JSONFault) {
            members = try JSONValue(parsing: bytes).members ?? [:]
        } catch {
            guard !error.message.isEmpty else { FuzzReport.fail("\(error) has no message") }
            return .refused
        }
        guard let endpoint = Operations.all.first(where: { $0.name == members["operation"]?.string }),
            let values = members["values"]?.members
        else { return .refused }
        do throws(EmulatorError) {
            let request = try endpoint.request(values)
            if let body = request.body, !endpoint.takesText, (try? JSONValue(parsing: body)) == nil {
                FuzzReport.fail("the body of \(request.target) is not JSON: \(Hexadecimal.string(body))")
            }
            if let rate = values["rate"]?.setting.flatMap(Simulation.Rate.init) { run(rate) }
            return .parsed
        } catch {
            guard !error.message.isEmpty, error.exitCode == 65 else { FuzzReport.fail("\(error) has no message") }
            return .refused
        }
    }

    private static let samples = [
        #"{"operation":"listBeacons","values":{}}"#,
        #"{"operation":"showBeacon","values":{"beacon":"entrance"}}"#,
        #"{"operation":"changeBeacon","values":{"beacon":"a","settings":{"major":1,"interval":"100ms","uuid":"\u00fc"},"muted":"10s"}}"#,
        #"{"operation":"changeBeacons","values":{"match":"shelf-[0-9]*","profile":"hall","enabled":false,"battery":"full"}}"#,
        #"{"operation":"removeBeacons","values":{"match":"hall/?"}}"#,
        #"{"operation":"disconnect","values":{"name":"door","peer":"phone","reason":"remote-user"}}"#,
        #"{"operation":"setRadio","values":{"power":"off"}}"#,
        #"{"values":{"text":true,"types":"written,connected","Last-Event-ID":"17"},"operation":"events"}"#,
        #"{"operation":"walk","values":{"name":"door","path":[[1,2.5e3],[-0.5,2,1E1]],"over":"20s"}}"#,
        #"{"operation":"journal","values":{"types":"written,connected","since":"30s"}}"#,
        #"{"operation":"wait","values":{"conditions":[{"match":{"event":"written","decoded":{"a":"\ud83d\udce1"}},"count":1}]}}"#,
        #"{"operation":"wait","values":{"conditions":[{"match":{},"atLeast":2,"except":{"central":"C0*"},"mayAppear":true}]}}"#,
        #"{"operation":"overrideLink","values":{"from":"door","to":"phone","loss":6.5,"packet-loss":"25%","for":"10s"}}"#,
        #"{"operation":"setRate","values":{"rate":10}}"#,
    ].map { Array($0.utf8) }

    /// JSON that is difficult for parsers.
    private static let tokens = [
        "1e400", "-0", "1.0", "99999999999999999999", "null", "true", "[]", "{}", #""\ud800""#, #""\u0000""#,
        "\"\u{FEFF}\"", #"{"values":{}}"#, "1,\"values\":2", " ", "\"listBeacons\"", "\"reload\"", "\t1\r", "//",
        "0x10", "NaN", "1e2",
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

    /// A rate that is not possible, or nearly so.
    private static func rate(_ generator: inout SplitMix64) -> [UInt8] {
        let exponent = Int.random(in: -330...310, using: &generator)
        let scale = Bool.random(using: &generator) ? exponent : exponent / 100
        let number = "\(Double.random(in: 0...10, using: &generator))e\(scale)"
        return Array(#"{"operation":"setRate","values":{"rate":"\#(number)"}}"#.utf8)
    }

    private static let clock = Simulation(rate: .manual)

    /// Lets a clock compute how long it has to wait for a far timer at this rate.
    private static func run(_ rate: Simulation.Rate) {
        let timer = clock.schedule(at: .seconds(Int64.max)) {}
        clock.setRate(rate == .maximum ? .manual : rate)
        let done = DispatchSemaphore(value: 0)
        clock.execute { done.signal() }
        done.wait()
        clock.setRate(.manual)
        clock.cancel(timer)
    }

    /// A request with a deeply nested value.
    private static func nested(_ generator: inout SplitMix64) -> [UInt8] {
        let greatest = Int.random(in: 0...50, using: &generator) == 0 ? 30_000 : 600
        let depth = Int.random(in: 0...greatest, using: &generator)
        let (open, close) = Bool.random(using: &generator) ? ("[", "]") : (#"{"a":"#, "}")
        var value = String(repeating: open, count: depth) + "1"
        if Bool.random(using: &generator) { value += String(repeating: close, count: depth) }
        let key = Bool.random(using: &generator) ? "extra" : "conditions"
        return Array(#"{"operation":"wait","values":{"\#(key)":\#(value)}}"#.utf8)
    }
}
