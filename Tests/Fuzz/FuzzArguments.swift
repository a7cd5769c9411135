// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What the command line says.
struct FuzzArguments {
    struct Fault: Error { let message: String }

    private(set) var iterations = 1_000_000
    private(set) var seed: UInt64 = 1
    private(set) var target: String?
    private(set) var traces = false

    init(_ arguments: some Sequence<String>) throws(Fault) {
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            switch option {
            case "--iterations": iterations = try Self.number(rest.popFirst(), of: option)
            case "--seed": seed = try Self.number(rest.popFirst(), of: option)
            case "--target": target = rest.popFirst()
            case "--trace": traces = true
            default: throw Fault(message: "there is no option \(option)")
            }
        }
    }

    private static func number<Value: FixedWidthInteger>(_ text: String?, of option: String) throws(Fault) -> Value {
        guard let number = text.flatMap(Value.init), number >= 0 else {
            throw Fault(message: "\(option) needs a number")
        }
        return number
    }
}
