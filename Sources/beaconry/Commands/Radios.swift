// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlueZRadio
import BluetoothCore
import Emulator

/// `beaconry radios`
struct Radios: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "List radios and their capabilities.",
        discussion: """
            Example: beaconry radios --json

            An iPhone that connects to a beacon under BlueZ may show a pairing dialog: bluetoothd reads the phone's own \
            services. ReverseServiceDiscovery=false in /etc/bluetooth/main.conf, or bluetoothd -P battery, stops it.
            """)

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    var writesJSON: Bool { json }

    func run() async throws {
        guard AdapterPresence.kernelHasBluetooth else {
            tellVirtual()
            return Output.note("this machine's kernel has no Bluetooth")
        }
        let survey = await BlueZSurvey.take()
        let records = survey.adapters.map(RadioRecord.init)
        for record in records { Output.line(json ? JSONLine.encode(record) : record.words) }
        tellVirtual()
        let rights = RightsRecord(survey)
        if json { Output.line(JSONLine.encode(rights)) } else { rights.lines.forEach(Output.line) }
        if let trouble = survey.trouble {
            for name in survey.unmanagedNames { Output.note("\(name): there, but bluetoothd is not") }
            throw trouble
        }
        for name in survey.unmanagedNames { Output.note("\(name): there, but bluetoothd does not manage it") }
        if records.isEmpty { Output.note("this machine has no Bluetooth adapter that bluetoothd knows") }
        if !records.isEmpty, !json { Output.note(Self.pairingDialog) }
    }

    private func tellVirtual() {
        let virtual = VirtualRecord()
        Output.line(json ? JSONLine.encode(virtual) : virtual.words)
    }

    private static let pairingDialog =
        "note: an iPhone that connects may show a pairing dialog, because bluetoothd reads the phone's own services; "
        + "ReverseServiceDiscovery=false in /etc/bluetooth/main.conf stops that"
}

/// The virtual air as `radios` tells it.
private struct VirtualRecord: Encodable {
    let v = 1
    let radio = "virtual"
    let advertising = "extended"

    var words: String {
        "virtual  always there: as many beacons as wanted, for hosts that join over TCP (--hci-server)"
    }
}

/// An adapter as `radios` tells it.
private struct RadioRecord: Encodable {
    let v = 1
    let radio: String
    let address: String
    let powered: Bool
    let blocked: String?
    let advertising: String
    let instances: Int
    let freeInstances: Int
    let canSetTxPower: Bool
    let bluetoothd: String?

    init(_ entry: BlueZSurvey.Adapter) {
        let adapter = entry.adapter
        radio = "bluez:\(adapter.name)"
        address = adapter.address.description
        powered = adapter.isPowered
        blocked = entry.block
        advertising = !adapter.canAdvertise ? "none" : adapter.isExtended ? "extended" : "legacy"
        instances = adapter.freeInstances + adapter.activeInstances
        freeInstances = adapter.freeInstances
        canSetTxPower = adapter.canSetTransmitPower
        bluetoothd = adapter.daemonVersion?.description
    }

    var words: String {
        let power = blocked.map { "blocked \($0)" } ?? (powered ? "powered on" : "powered off")
        return "\(radio)  \(address)  \(power)  \(advertising) advertising  \(freeInstances) of \(instances) instances "
            + "free  bluetoothd \(bluetoothd ?? "of unknown version")"
    }
}

/// What this process may do, as `radios` tells it.
private struct RightsRecord: Encodable {
    let v = 1
    let managementSocket: Bool
    let monitorSocket: Bool

    init(_ survey: BlueZSurvey) {
        managementSocket = survey.mayManage
        monitorSocket = survey.mayMonitor
    }

    var lines: [String] {
        [
            managementSocket
                ? "rights: management socket (CAP_NET_ADMIN): exact flags, scan response and interval"
                : "rights: no management socket; CAP_NET_ADMIN would add exact flags, scan response and interval",
            monitorSocket
                ? "rights: monitor socket (CAP_NET_RAW): what is on the air is read back"
                : "rights: no monitor socket; CAP_NET_RAW would add reading back what is on the air",
        ]
    }
}
