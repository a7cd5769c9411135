// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio

/// A radio that advertises nothing, on which this program is the central.
struct AttributesOnly: PeripheralRadio {
    let name = "attributes"
    let events = RadioEvents()
    private let opened: AsyncStream<AttributeResponder>.Continuation
    /// The responder to a central's requests, once the radio is open.
    let attributes: AsyncStream<AttributeResponder>

    init() { (attributes, opened) = AsyncStream.makeStream() }

    func open(
        _ beacons: [HostedBeacon], waits: Bool, attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        opened.yield(attributes)
        return RadioCapabilities(
            name: name, way: "none", wayReason: "only flash is tested", address: nil, hasExtendedAdvertising: false,
            instances: 1, freeInstances: 1, sharesTime: false, canReadBack: true)
    }

    func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {}
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {}
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {}
    func disconnect(central: String) async {}
    func close() async {}
}
