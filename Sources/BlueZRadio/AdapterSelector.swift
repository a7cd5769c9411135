// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Which of the machine's adapters a BlueZ radio uses.
public enum AdapterSelector: Hashable, Sendable {
    /// The first that is powered, else the first.
    case any
    /// The one that the kernel calls `hciN` when the radio is opened; afterwards that controller, whatever it is called.
    case name(String)
    /// The one with this address, whatever it is called.
    case address(BluetoothAddress)

    /// Reads what may follow `bluez:`, such as `hci0` or an address; `nil` for anything else.
    public init?(_ text: String) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
        } else if let number = UInt16(text.dropFirst(3)), text == "hci\(number)" {
            self = .name(text)
        } else {
            return nil
        }
    }
}

extension AdapterSelector: CustomStringConvertible {
    /// As `--radio` takes it.
    public var description: String {
        switch self {
        case .any: "bluez"
        case .name(let name): "bluez:\(name)"
        case .address(let address): "bluez:\(address)"
        }
    }

    /// Whether one of these, by the kernel's names, can be the one that is meant.
    func mayBe(amongst names: [String]) -> Bool {
        if case .name(let name) = self { names.contains(name) } else { !names.isEmpty }
    }

    /// The adapter that is meant among those present.
    func choose(from adapters: [BlueZAdapter]) -> BlueZAdapter? {
        switch self {
        case .any: adapters.first(where: \.isPowered) ?? adapters.first
        case .name(let name): adapters.first { $0.name == name }
        case .address(let address): adapters.first { $0.address == address }
        }
    }
}
