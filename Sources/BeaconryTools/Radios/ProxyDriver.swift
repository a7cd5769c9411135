// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import ESPHomeProxy
package import Radio

/// ESPHome Bluetooth proxies on the network, which receive: `esphome:HOST`, `esphome:HOST:PORT?key-file=FILE`.
package struct ProxyDriver: RadioDriver {
    package static let scheme = "esphome"
    package static let forms = ["esphome:HOST[:PORT][?key=KEY|?key-file=FILE] (receives only)"]
    package static let examples = ["esphome:192.0.2.10"]
    /// The port of ESPHome's API.
    private static let standardPort = 6053

    private let place: HostAndPort
    private let key: EncryptionKey?

    package init?(argument: String?) throws(RadioError) {
        let parts = (argument ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let place = Self.place(String(parts[0])) else { return nil }
        self.place = place
        key = parts.count > 1 ? try Self.key(String(parts[1])) : nil
    }

    /// An address with or without a port; one of IPv6 has one only if it is in brackets.
    private static func place(_ text: String) -> HostAndPort? {
        let hasBrackets = text.hasPrefix("[")
        let colons = text.count { $0 == ":" }
        let place =
            switch (hasBrackets, colons) {
            case (true, _): HostAndPort(text.hasSuffix("]") ? "\(text):\(standardPort)" : text)
            case (false, 0): HostAndPort("\(text):\(standardPort)")
            case (false, 1): HostAndPort(text)
            case (false, _): HostAndPort("[\(text)]:\(standardPort)")
            }
        guard let place, place.port != 0, !place.host.contains("/") else { return nil }
        return place
    }

    /// The key in `key=KEY`, or in the file of `key-file=FILE`.
    private static func key(_ item: String) throws(RadioError) -> EncryptionKey {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : "") {
        case ("key", let text):
            guard let key = EncryptionKey(base64: text) else {
                throw RadioError(
                    .refused, "\(scheme): the key does not have 32 bytes in base64",
                    hint: "take the key from the proxy's configuration (api: encryption: key:), with 44 characters")
            }
            return key
        case ("key-file", let path):
            do throws(Failure) {
                return try EncryptionKey(file: path)
            } catch {
                throw RadioError(.refused, "\(scheme): \(error.message)", hint: "name another file after key-file=")
            }
        default:
            throw RadioError(
                .refused, "\(scheme): \"\(parts[0])\" is not key or key-file",
                hint: "write \(scheme):HOST?key=KEY or \(scheme):HOST?key-file=FILE")
        }
    }

    /// An empty list: proxies are found by their names only.
    package static func survey(_ ledger: any RadioLedger) async -> RadioSurvey { RadioSurvey() }

    package func forecast(_ beacons: [HostedBeacon]) throws(RadioError) -> RadioForecast { throw refusal }

    package func makePeripheral(_ resources: RadioResources) -> any PeripheralRadio {
        ReceivingOnlyRadio(name: name, refusal: refusal)
    }

    package func makeCentral(maximumTransmissionUnit: UInt16) -> any CentralRadio { ProxyRadio(place, key: key) }

    private var name: String { ProxyRadio.name(of: place) }

    private var refusal: RadioError {
        RadioError(
            .unsupported, "\(name) receives only: an ESPHome proxy cannot advertise",
            hint: "name the radio of the beacons, such as bluez:hci0; a proxy can receive them (beaconry doctor --via)")
    }
}

/// The peripheral side of a radio that has none.
private struct ReceivingOnlyRadio: PeripheralRadio {
    let name: String
    let refusal: RadioError

    let events = RadioEvents()

    func open(
        _ beacons: [HostedBeacon], waits: Bool, attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities { throw refusal }

    func replan(_ beacons: [HostedBeacon]) async throws(RadioError) { throw refusal }

    // Nothing can be called on a radio that does not open.
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {}
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {}
    func disconnect(central: String) async {}
    func close() async {}
}
