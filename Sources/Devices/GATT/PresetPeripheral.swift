// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A GATT peripheral with given services: the few values that a profile gives, and the peripheral that they expand to.
///
///     struct Thermometer: GATTPreset {
///         static let kind = "thermometer"
///         var celsius = Quantity.fixed(20)
///         static let settings: [Setting<Thermometer>] = [ … ]
///         var peripheral: GATTPeripheral.Configuration { … }
///     }
package protocol GATTPreset: Hashable, Sendable {
    /// The name of the kind in profiles.
    static var kind: String { get }
    /// The settings of the profile. The peripheral's own settings can be changed while it runs.
    static var settings: [Setting<Self>] { get }
    /// The values of a profile that gives nothing.
    init()
    /// The declared peripheral.
    var peripheral: GATTPeripheral.Configuration { get }
}

/// A kind of device that is a preset of a GATT peripheral, and passes on all its members.
package struct PresetPeripheral<Preset: GATTPreset>: ProfiledDevice {
    package static var kind: String { Preset.kind }
    package static var hasFlash: Bool { GATTPeripheral.hasFlash }
    package static var settings: [Setting<Preset>] { Preset.settings }
    package static var template: Preset { Preset() }

    package let configuration: Preset
    private var peripheral: GATTPeripheral

    /// A peripheral of a preset.
    package init(_ configuration: Preset) {
        self.configuration = configuration
        peripheral = GATTPeripheral(configuration.peripheral)
    }

    package var services: [GATTService] { peripheral.services }
    package var settings: [SettingValue] { peripheral.settings }
    package var savesSettings: Bool { peripheral.savesSettings }
    package var nextDeadline: Duration? { peripheral.nextDeadline }
    package var advertisesWhileConnected: Bool { peripheral.advertisesWhileConnected }
    package var advertising: AdvertisingSettings { peripheral.advertising }
    package var advertisedName: String? { peripheral.advertisedName }
    package var frame: IBeacon? { peripheral.frame }
    package var pdu: AdvertisingPDU? { peripheral.pdu }
    package var defaultPairing: PairingSettings? { peripheral.defaultPairing }
    package var findings: [ProfileFinding] { peripheral.findings }
    package var commands: [DeviceCommand.Declaration] { peripheral.commands }

    package func presentValues(at now: DeviceTime) -> [String: String] { peripheral.presentValues(at: now) }

    package func name(of characteristic: CharacteristicIdentifier) -> String? { peripheral.name(of: characteristic) }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        peripheral.read(characteristic, offset: offset, at: now)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        peripheral.handle(input, at: now)
    }

    package mutating func restore(from flash: FlashImage) throws(FlashFault) { try peripheral.restore(from: flash) }
}
