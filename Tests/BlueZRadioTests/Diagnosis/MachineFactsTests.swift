// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Testing

@testable import BlueZRadio
@testable import KernelBluetooth

@Suite struct MachineFactsTests {
    private static let address = "B8:27:EB:01:02:03"

    /// A Raspberry Pi 4 with a dongle.
    private static func machine() throws -> ScriptedMachine {
        var machine = ScriptedMachine()
        machine.adapterNames = ["hci0", "hci1"]
        machine.files = [
            "/proc/sys/kernel/osrelease": "6.12.93+rpt-rpi-v8\n",
            "/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
            "/etc/os-release": "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\n",
            "/sys/class/bluetooth/hci1/device/../idVendor": "0bda\n",
            "/sys/class/bluetooth/hci1/device/../idProduct": "8771\n",
            "/sys/class/bluetooth/hci1/device/../bcdDevice": "0200\n",
            "/sys/class/bluetooth/hci1/device/../product": "Bluetooth Radio\n",
        ]
        machine.links = [
            "/sys/class/bluetooth/hci0/device/subsystem": "serial",
            "/sys/class/bluetooth/hci0/device/driver": "hci_uart_bcm",
            "/sys/class/bluetooth/hci1/device/subsystem": "usb", "/sys/class/bluetooth/hci1/device/driver": "btusb",
        ]
        machine.messages = [
            KernelMessage("Bluetooth: hci0: BCM4345C0", at: 3), KernelMessage("usb 1-1: new device"),
            KernelMessage("input: x as /devices/hci1"),
        ]
        machine.state = (
            MachineFacts.Daemon(isRunning: true, version: "5.82", isExperimental: false),
            [
                "hci0": ScriptedMachine.interfaces(Self.address, active: 1, free: 4),
                "hci1": ScriptedMachine.interfaces("00:E0:4C:01:02:03", channels: ["1M", "2M"], powers: (-34, 7)),
            ],
            [:]
        )
        machine.controllers = [
            0: (
                try ScriptedMachine.information(Self.address, version: 9, manufacturer: 305),
                AdvertisingFeatures.reply(flags: 0x7F, maximum: 5, instances: [5, 1])
            )
        ]
        return machine
    }

    @Test func factsOfAMachineAreRead() async throws {
        let facts = await MachineFacts.read(from: try Self.machine())
        #expect(facts.kernel == "6.12.93+rpt-rpi-v8" && facts.board == "Raspberry Pi 4 Model B Rev 1.4")
        #expect(facts.system == "Debian GNU/Linux 13 (trixie)" && facts.daemon.version == "5.82")
        #expect(facts.kernelLog?.map(\.text) == ["Bluetooth: hci0: BCM4345C0", "input: x as /devices/hci1"])
        #expect(facts.kernelLog?.first?.time == 3)
        let builtIn = try #require(facts.adapters.first)
        #expect(builtIn.name == "hci0" && builtIn.address == Self.address && builtIn.isManaged)
        let identity = AdapterIdentity(bus: "serial", driver: "hci_uart_bcm", manufacturer: 305, version: 9)
        #expect(builtIn.identity == identity)
        #expect(builtIn.isPowered == true && builtIn.isDiscoverable == false && builtIn.isDiscovering == false)
        #expect(builtIn.isExtended == false && builtIn.instances == 5 && builtIn.occupiedInstances == 2)
        #expect(builtIn.hasOwnAdvertising == false && builtIn.isLowEnergyOnly == false)
        #expect(facts.knownAdapter(of: builtIn)?.name == "raspberry-pi-4")
        let dongle = try #require(facts.adapters.last)
        #expect(
            dongle.identity.usb == .init(vendor: 0x0BDA, product: 0x8771, release: 0x0200, name: "Bluetooth Radio"))
        #expect(dongle.isExtended == true && dongle.transmitPower == [-34, 7] && dongle.instances == 5)
        #expect(facts.knownAdapter(of: dongle)?.name == "rtl8761")
    }

    @Test(
        arguments: [
            (0x0000_0000, false, false, false), (0x0000_0001, true, false, false), (0x0000_0008, false, true, false),
            (0x0000_0400, false, false, true),
        ] as [(UInt32, Bool, Bool, Bool)])
    func settingsOfTheKernelAreRead(_ settings: UInt32, powered: Bool, discoverable: Bool, advertising: Bool) throws {
        var adapter = MachineFacts.Adapter("hci0")
        adapter.take(information: try ScriptedMachine.information(Self.address, current: settings))
        #expect(adapter.isPowered == powered && adapter.isDiscoverable == discoverable)
        #expect(adapter.hasOwnAdvertising == advertising)
        adapter.take(information: [1, 2, 3])
        #expect(adapter.isPowered == powered)
        adapter.take(information: try ScriptedMachine.information(Self.address, supported: 0x0000_FE7F))
        #expect(adapter.isLowEnergyOnly == true)
    }

    @Test func machineWithoutBluetoothHasNoAdapters() async {
        let facts = await MachineFacts.read(from: ScriptedMachine(kernelHasBluetooth: false))
        #expect(!facts.kernelHasBluetooth && facts.adapters.isEmpty && facts.kernelLog == nil && facts.board == nil)
        #expect(!facts.daemon.isRunning && facts.daemon.fault == .daemonOff)
        #expect(facts.daemon.trouble == "bluetoothd is not running")
    }

    private static func device(
        _ address: String, paired: Bool = true, connected: Bool = false, service: String = "1812"
    ) -> [String: DBusValue] {
        let values: DBusValue = .variants([
            "Address": .string(address), "Paired": .boolean(paired), "Connected": .boolean(connected),
            "UUIDs": .strings(["0000\(service)-0000-1000-8000-00805f9b34fb"]),
        ])
        return values.dictionaryValue ?? [:]
    }

    @Test func devicesThatTheKernelWaitsForAreRead() {
        var adapter = MachineFacts.Adapter("hci0")
        let devices = [
            Self.device("C0:00:00:00:00:01"), Self.device("C0:00:00:00:00:02", connected: true),
            Self.device("C0:00:00:00:00:03", paired: false), Self.device("C0:00:00:00:00:04", service: "180f"),
        ]
        adapter.take(devices, awaited: nil)
        #expect(adapter.awaitedDevices == ["C0:00:00:00:00:01"] && !adapter.isAwaitingForSure)
        #expect(adapter.connectedDevices == ["C0:00:00:00:00:02"])
        // BR/EDR devices have no last field; 1 reports only; 5 is a pending connection.
        let list = """
            00:11:22:33:44:55 (type 0)
            c0:00:00:00:00:02 (type 1) 3
            c0:00:00:00:00:05 (type 1) 1
            c0:00:00:00:00:06 (type 1) 5
            """
        adapter.take(devices, awaited: list)
        #expect(adapter.awaitedDevices == ["C0:00:00:00:00:06"] && adapter.isAwaitingForSure)
        adapter.take(devices, awaited: "")
        #expect(adapter.awaitedDevices.isEmpty)
    }

    @Test(
        arguments: [
            ("[General]\nControllerMode=bredr\n", "bredr"), ("#ControllerMode = bredr\n", nil),
            (" ControllerMode = le \r\n", "le"), ("ControllerMode=le\nControllerMode = bredr", "bredr"), ("", nil),
        ] as [(String, String?)])
    func controllerModeIsRead(_ text: String, mode: String?) {
        #expect(MachineFacts.controllerMode(text) == mode)
    }

    @Test func instancesOfKilledRunsAreThoseThatExist() {
        var adapter = MachineFacts.Adapter("hci0")
        adapter.leftoverInstances = [5, 4]
        #expect(adapter.presentLeftovers.isEmpty)
        // Linux 6.1 lists no number above the count.
        adapter.usedInstances = [1]
        #expect(adapter.presentLeftovers == [5, 4] && adapter.foreignInstances == 1)
        adapter.leftoverInstances = [2, 1]
        #expect(adapter.presentLeftovers == [1] && adapter.foreignInstances == 0)
    }

    @Test func instancesAreGoneAfterAStartOfBluetoothd() async throws {
        var machine = try Self.machine()
        machine.leftovers = ["hci0": [5, 4]]
        machine.leftoverTime = 100
        machine.state.facts.started = 99
        #expect(await MachineFacts.read(from: machine).adapters[0].leftoverInstances == [5, 4])
        machine.state.facts.started = 101
        #expect(await MachineFacts.read(from: machine).adapters[0].leftoverInstances.isEmpty)
    }

    @Test func usersOfControllersAreReadWhereOneIsNotManaged() async throws {
        var machine = try Self.machine()
        machine.users = [MachineFacts.Process(7, "btstack")]
        #expect(await MachineFacts.read(from: machine).controllerUsers.isEmpty)
        machine.state.adapters["hci1"] = nil
        machine.isUp["hci1"] = true
        let facts = await MachineFacts.read(from: machine)
        #expect(facts.controllerUsers == [MachineFacts.Process(7, "btstack")] && facts.adapters[1].isUp == true)
    }

    @Test func adapterIsSelectedAsByTheRadio() async throws {
        var machine = try Self.machine()
        machine.state.adapters["hci0"] = ScriptedMachine.interfaces(Self.address, powered: false)
        let facts = await MachineFacts.read(from: machine)
        #expect(facts.adapter(selectedBy: .any)?.name == "hci1")
        #expect(facts.adapter(selectedBy: .name("hci0"))?.name == "hci0")
        #expect(facts.adapter(selectedBy: .name("hci7")) == nil)
        #expect(try facts.adapter(selectedBy: #require(AdapterSelector(Self.address)))?.name == "hci0")
    }

    @Test func factsAreSavedWithoutAddresses() async throws {
        var machine = try Self.machine()
        machine.messages = [
            "Bluetooth: hci0: link to C0:FF:EE:00:00:01 lost, own \(Self.address)", "hci0: dev_C0_FF_EE_00_00_02",
            "Bluetooth: hci0: at 12:34:56",
        ].map { KernelMessage($0) }
        machine.files["/sys/kernel/debug/bluetooth/hci0/device_list"] = "c0:ff:ee:00:00:03 (type 1) 3\n"
        let facts = await MachineFacts.read(from: machine).anonymous
        let text = String(decoding: try JSONEncoder().encode(facts), as: UTF8.self)
        #expect(!text.contains("01:02:03") && !text.contains("C0:FF") && !text.contains("C0_FF"))
        #expect(text.contains("B8:27:EB:xx:xx:xx") && text.contains("at 12:34:56"))
        #expect(try JSONDecoder().decode(MachineFacts.self, from: Data(text.utf8)) == facts)
    }
}

extension AdvertisingFeatures {
    /// The reply to Read Advertising Features.
    fileprivate static func reply(flags: UInt32, maximum: UInt8, instances: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: flags.littleEndian) { Array($0) } + [31, 31, maximum, UInt8(instances.count)] + instances
    }
}
