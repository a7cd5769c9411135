// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Radio

/// The settings of the service.
package struct BlueZServiceOptions: Sendable {
    /// The name of the adapters, which bluetoothd takes from the host.
    package var name: String
    /// The time after which a device that is not received any more is removed, unless a program connected to it, paired with
    /// it or trusts it (`TemporaryTimeout` of main.conf); `nil` never.
    package var temporaryTimeout: Duration?
    /// The least change of the RSSI that is signalled, in dB; 0 signals each report. `nil` as bluetoothd 5.66 to 5.82: each
    /// report while any discovery has a filter, else a change of 8 dB.
    package var rssiThreshold: Int?
    /// The time limit of an attempt to connect. The kernel's is 20 s; programs wait 25 s or longer.
    package var connectionTimeout: Duration
    /// The number of devices that an adapter may have.
    package var deviceCapacity: Int
    /// Called with warnings, as sentences without a full stop.
    package var warn: @Sendable (String) -> Void

    /// Settings; by default, the settings of bluetoothd.
    package init(
        name: String = "beaconry", temporaryTimeout: Duration? = .seconds(30), rssiThreshold: Int? = nil,
        connectionTimeout: Duration = .seconds(20), deviceCapacity: Int = 4096,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.name = name
        self.temporaryTimeout = temporaryTimeout
        self.rssiThreshold = rssiThreshold.map { max(0, $0) }
        self.connectionTimeout = connectionTimeout
        self.deviceCapacity = max(1, deviceCapacity)
        self.warn = warn
    }
}

/// The radio of an adapter: both roles have one address.
package struct AdapterRadio: Sendable {
    /// What scans and connects; it is opened by the service.
    package let central: any CentralRadio
    /// What advertises and serves attributes; `nil` for an adapter that does not.
    package let peripheral: (any PeripheralRadio)?

    /// A radio that is both.
    package init(_ radio: any CentralRadio & PeripheralRadio) {
        central = radio
        peripheral = radio
    }

    /// A radio without the peripheral role.
    package init(central: any CentralRadio) {
        self.central = central
        peripheral = nil
    }
}
