// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HostStack
import Radio
import Space
import VirtualRadio

/// A beacon that a radio carries, with its advertising set.
///
/// It lives on the event loop of the radio.
final class CarriedBeacon {
    /// The beacon as it was last given to the radio.
    var definition: HostedBeacon
    /// The advertising set in use.
    let place: ControllerSet
    /// The requested advertisement; `nil` for none.
    var requested: Advertisement?
    /// The handles of its characteristics; `nil` without services.
    var characteristics: CharacteristicHandles?

    init(_ definition: HostedBeacon, on place: ControllerSet) {
        self.definition = definition
        self.place = place
    }

    var identifier: BeaconIdentifier { definition.identifier }
}

/// What determines an attribute table.
struct AttributeTableSource: Equatable {
    let services: [GATTService]
    let genericAccess: GenericAccess
    /// Whether centrals may connect even without services.
    let isConnectable: Bool

    /// The table; `nil` for a beacon that does not accept connections.
    var database: AttributeDatabase? {
        guard !services.isEmpty || isConnectable else { return nil }
        return try? AttributeDatabase(services: services, genericAccess: genericAccess)
    }
}

/// The handles of the characteristics of an attribute table, by the names that devices use.
struct CharacteristicHandles {
    private var handles: [CharacteristicIdentifier: AttributeHandle] = [:]
    private var characteristics: [AttributeHandle: CharacteristicIdentifier] = [:]
    private var descriptors: [AttributeHandle: ServedAttribute] = [:]

    init(_ database: AttributeDatabase) {
        for (identifier, handle) in database.valueHandles {
            handles[identifier] = handle
            characteristics[handle] = identifier
        }
        for (identifier, number, handle) in database.servedDescriptors {
            descriptors[handle] = ServedAttribute(characteristic: identifier, descriptor: number)
        }
    }

    /// The handle of a characteristic's value; `nil` if the table does not have it.
    func handle(of characteristic: CharacteristicIdentifier) -> AttributeHandle? { handles[characteristic] }

    /// The characteristic with this value handle; `nil` if there is none.
    func characteristic(at handle: AttributeHandle) -> CharacteristicIdentifier? { characteristics[handle] }

    /// The value or the served descriptor with this handle; `nil` if there is none.
    func attribute(at handle: AttributeHandle) -> ServedAttribute? {
        characteristics[handle].map { ServedAttribute(characteristic: $0) } ?? descriptors[handle]
    }
}

extension HostedBeacon {
    /// What determines its attribute table.
    var tableSource: AttributeTableSource {
        let appearance = advertisement?.advertisingData.appearance ?? advertisement?.scanResponse.appearance
        let localName = advertisement?.scanResponse.localName ?? advertisement?.advertisingData.localName
        return AttributeTableSource(
            services: services,
            // An appearance that is advertised is the characteristic's value (CSS, Part A, 1.12).
            genericAccess: GenericAccess(
                name: deviceName ?? localName ?? identifier.name, appearance: appearance ?? 0),
            isConnectable: advertisement?.pdu.isConnectable == true)
    }

    /// The address that its profile gives it; `nil` for a derived one.
    var address: BluetoothAddress? { advertisement?.address }
}

extension ControllerConfiguration {
    /// The RSSI on the air 1 m from a controller that transmits at 0 dBm.
    private static let uncalibratedPower = -59

    /// The controller of a beacon, with the power of its profile.
    /// - Parameters:
    ///   - motion: how it moves at present.
    ///   - spare: its public address if the profile gives none.
    init(_ beacon: HostedBeacon, motion: Motion?, spare: BluetoothAddress) {
        let site = beacon.site
        let address = beacon.address.flatMap { $0.isStaticRandom ? nil : $0 }
        self.init(
            publicAddress: address ?? spare, name: beacon.identifier.name, motion: motion,
            rssiOffset: Self.offset(for: site.measuredPower, at: site.transmitPower),
            scanResponseGain: Self.gain(of: site), isOfBeacon: true)
    }

    /// How much stronger than its advertisements the scan responses of a beacon are, by the powers that both claim, in dB.
    private static func gain(of site: BeaconSite) -> Int8 {
        guard let power = site.measuredPower, let response = site.scanResponsePower else { return 0 }
        return Int8(clamping: Int(response.decibelMilliwatts) - Int(power.decibelMilliwatts))
    }

    /// The offset with which a transmitter's mean RSSI at 1 m is the power that it claims, in dB; 0 if it claims none.
    /// - Parameter transmitPower: the power at which that was measured; `nil` is 0 dBm.
    static func offset(for measuredPower: MeasuredPower?, at transmitPower: TransmitPower? = nil) -> Double {
        guard let measuredPower else { return 0 }
        let power = Int(transmitPower?.decibelMilliwatts ?? 0)
        return Double(Int(measuredPower.decibelMilliwatts) - power - uncalibratedPower)
    }
}
