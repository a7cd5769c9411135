// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import KernelBluetooth
package import Radio

/// The adapters of this machine beside bluetoothd: `bluez`, `bluez:hciN`, `bluez:ADDRESS`.
package struct BlueZDriver: RadioDriver {
    package static let scheme = "bluez"
    package static let forms = ["bluez", "bluez:hciN", "bluez:ADDRESS"]
    package static let examples = ["bluez:hci0", "bluez:ADDRESS"]

    /// The adapter.
    package let selector: AdapterSelector

    /// An adapter of this machine.
    package init(_ selector: AdapterSelector = .any) { self.selector = selector }

    package init?(argument: String?) {
        guard let selector = argument.map(AdapterSelector.init) ?? .any else { return nil }
        self.selector = selector
    }

    package static func survey(_ ledger: any RadioLedger) async -> RadioSurvey {
        guard AdapterPresence.kernelHasBluetooth else {
            return RadioSurvey(notes: [Fault.noKernelBluetooth.sentence()])
        }
        return RadioSurvey(await BlueZSurvey.take(ledger))
    }

    package func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        try await BlueZForecast.make(beacons, on: selector)
    }

    package func makePeripheral(_ resources: RadioResources) -> any PeripheralRadio {
        BlueZRadio(selector, ledger: resources.ledger, capture: resources.capture)
    }

    /// bluetoothd decides the ATT_MTU.
    package func makeCentral(maximumTransmissionUnit: UInt16) -> any CentralRadio { BlueZCentral(selector) }
}

extension RadioSurvey {
    /// Notes about adapters that cannot be told apart by their address, or have none.
    static func addressNotes(_ adapters: [BlueZAdapter]) -> [String] {
        let shared = Dictionary(
            grouping: adapters.filter { !$0.hasUniqueAddress && $0.address != .zero }, by: \.address)
        let notes = shared.sorted { $0.value[0].index < $1.value[0].index }.map { address, adapters in
            "\(adapters.map(\.name).joined(separator: " and ")) have the same address, \(address): choose them by name "
                + "(--radio bluez:\(adapters[0].name)); receivers cannot distinguish their connectable beacons"
        }
        return notes
            + adapters.filter { $0.address == .zero }.map {
                "\($0.name) has no address: its controller did not start (see dmesg), and it cannot be used"
            }
    }

    fileprivate init(_ survey: BlueZSurvey) {
        self.init(radios: survey.adapters.map(Entry.init), failure: survey.trouble)
        rights = [
            Right(
                key: "managementSocket", isGranted: survey.mayManage,
                summary: survey.mayManage
                    ? "management socket (CAP_NET_ADMIN): exact flags, scan response and interval"
                    : "no management socket; CAP_NET_ADMIN would add exact flags, scan response and interval"),
            Right(
                key: "monitorSocket", isGranted: survey.mayMonitor,
                summary: survey.mayMonitor
                    ? "monitor socket (CAP_NET_RAW): what is on the air is read back, and restored"
                    : "no monitor socket; CAP_NET_RAW would add reading back what is on the air, and restoring it"),
        ]
        let reason = failure == nil ? "bluetoothd does not manage it" : "bluetoothd is not"
        notes = survey.unmanagedNames.map { "\($0): there, but \(reason)" }
        notes += survey.adapters.compactMap(\.leftovers?.clause)
        guard failure == nil else { return }
        if radios.isEmpty { notes.append("this machine has no Bluetooth adapter that bluetoothd knows") }
        guard !radios.isEmpty else { return }
        notes += Self.addressNotes(survey.adapters.map(\.adapter))
        advice = [
            "note: an iPhone that connects may show a pairing dialog, because bluetoothd reads the phone's own services; "
                + "ReverseServiceDiscovery=false in /etc/bluetooth/main.conf stops that"
        ]
    }
}

extension RadioSurvey.Entry {
    fileprivate init(_ entry: BlueZSurvey.Adapter) {
        let adapter = entry.adapter
        let advertising: Advertising = !adapter.canAdvertise ? .none : adapter.isExtended ? .extended : .legacy
        let left = entry.leftovers?.count ?? 0
        let instances = (
            total: adapter.freeInstances + adapter.activeInstances, free: max(0, adapter.freeInstances - left)
        )
        let power = entry.block.map { "blocked \($0)" } ?? (adapter.isPowered ? "powered on" : "powered off")
        self.init(
            name: "bluez:\(adapter.name)", advertising: advertising,
            summary: "\(adapter.address)  \(power)  \(advertising.rawValue) advertising  \(instances.free) of "
                + "\(instances.total) instances free  bluetoothd "
                + "\(adapter.daemonVersion?.description ?? "of unknown version")")
        address = adapter.address
        isPowered = adapter.isPowered
        block = entry.block
        self.instances = instances
        canSetTransmitPower = adapter.canSetTransmitPower
        daemonVersion = adapter.daemonVersion?.description
    }
}
