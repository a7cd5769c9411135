// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth
import Testing

@testable import BlueZRadio

/// Each check with a machine that has its fault, and with one that has none.
@Suite struct MachineCheckTests {
    /// A change of a machine without faults, and what the check must find then.
    struct Case: Sendable, CustomTestStringConvertible {
        let check: String
        let result: Finding.Result
        /// A part of what is found.
        let words: String
        /// A part of the command; `nil` if there must be none.
        let command: String?
        let fault: Fault?
        let change: @Sendable (inout MachineFacts) -> Void

        init(
            _ check: String, _ result: Finding.Result, _ words: String, command: String? = nil, _ fault: Fault? = nil,
            _ change: @escaping @Sendable (inout MachineFacts) -> Void
        ) {
            self.check = check
            self.result = result
            self.words = words
            self.command = command
            self.fault = fault
            self.change = change
        }

        var testDescription: String { "\(check): \(words)" }
    }

    /// A machine on which a beacon works: an adapter with extended advertising that is not a known one.
    private static var healthy: MachineFacts {
        var facts = MachineFacts()
        facts.kernel = "6.12.117+deb13-amd64"
        facts.kernelHasBluetooth = true
        facts.daemon = .init(isRunning: true, version: "5.82", isExperimental: false)
        facts.mayManage = true
        facts.mayMonitor = true
        facts.adapters = [adapter("hci0")]
        facts.kernelLog = [KernelMessage("Bluetooth: Core ver 2.22")]
        facts.time = 700
        return facts
    }

    private static func adapter(_ name: String, address: String = "00:1B:DC:07:31:42") -> MachineFacts.Adapter {
        var adapter = MachineFacts.Adapter(name)
        adapter.address = address
        adapter.isManaged = true
        adapter.isPowered = true
        adapter.isDiscoverable = false
        adapter.isConnectable = false
        adapter.isDiscovering = false
        adapter.hasOwnAdvertising = false
        adapter.isLowEnergyOnly = false
        adapter.supportsLowEnergy = true
        adapter.isLowEnergyOn = true
        adapter.isExtended = true
        adapter.instances = 8
        adapter.activeInstances = 0
        adapter.usedInstances = []
        adapter.transmitPower = [-20, 8]
        return adapter
    }

    private static let tooStrict = "one of the kernels of mid-2026"

    static let faults: [Case] = hostFaults + adapterFaults + programFaults

    private static let hostFaults: [Case] = [
        Case("kernel", .problem, "has no Bluetooth", command: "modprobe", .noKernelBluetooth) {
            $0.kernelHasBluetooth = false
            $0.adapters = []
            $0.daemon = .init(fault: .daemonOff)
        },
        Case("kernel", .note, "a program in place of bluetoothd") { $0.kernelHasBluetooth = false },
        Case("adapter", .problem, "has no Bluetooth adapter", .noAdapter) { $0.adapters = [] },
        Case("adapter", .problem, "there are hci1", command: "doctor --radio bluez:hci1", .otherAdapter) {
            $0.adapters = [adapter("hci1")]
        },
        Case("adapter", .problem, "used exclusively by another program", .adapterInUse) {
            $0.adapters[0].isManaged = false
            $0.adapters[0].isPowered = nil
            $0.adapters[0].isUp = true
        },
        Case("adapter", .problem, "btstack (process 7)", command: "sudo kill 7", .adapterInUse) {
            $0.adapters[0].isManaged = false
            $0.adapters[0].isPowered = nil
            $0.adapters[0].isUp = true
            $0.controllerUsers = [MachineFacts.Process(7, "btstack")]
        },
        Case("adapter", .problem, "its controller did not start", .notStarted) {
            $0.adapters[0].isManaged = false
            $0.adapters[0].isUp = false
        },
        Case("adapter", .problem, "Low Energy is switched off", command: "btmgmt --index 0 le on", .lowEnergyOff) {
            $0.adapters[0].isLowEnergyOn = false
            $0.adapters[0].isExtended = nil
        },
        Case("adapter", .problem, "ControllerMode=bredr", command: "ControllerMode = dual", .classicMode) {
            $0.adapters[0].isLowEnergyOn = false
            $0.controllerMode = "bredr"
        },
        Case("adapter", .problem, "ControllerMode=bredr", command: "ControllerMode = dual", .classicMode) {
            $0.adapters[0].isManaged = false
            $0.adapters[0].isUp = false
            $0.adapters[0].isLowEnergyOnly = true
            $0.controllerMode = "bredr"
        },
        Case("adapter", .problem, "has no Bluetooth Low Energy", .noLowEnergy) {
            $0.adapters[0].supportsLowEnergy = false
        },
        Case("adapter", .problem, "has no Bluetooth Low Energy", command: "--radio bluez:hci1", .noLowEnergy) {
            $0.adapters[0].supportsLowEnergy = false
            $0.adapters.append(adapter("hci1", address: "00:1B:DC:07:31:43"))
        },
        Case("adapter", .problem, "cannot advertise", .noLowEnergy) { $0.adapters[0].isExtended = nil },
        Case("bluetoothd", .problem, "bluetoothd is not running", command: "systemctl start bluetooth", .daemonOff) {
            $0.daemon = .init()
        },
        Case("bluetoothd", .problem, "does not let this user", command: "usermod -aG bluetooth", .daemonForbidden) {
            $0.daemon = .init(fault: .daemonForbidden)
        },
        Case("bluetoothd", .problem, "does not answer", command: "systemctl restart bluetooth", .daemonHangs) {
            $0.daemon = .init(fault: .daemonHangs)
        },
        Case("bluetoothd", .problem, "the system bus", command: "systemctl start dbus bluetooth", .noBus) {
            $0.daemon = .init(fault: .noBus)
        },
        Case("bluetoothd", .problem, "bluetoothd 5.55", command: "apt install bluez", .daemonOld) {
            $0.daemon.version = "5.55"
        },
        Case("bluetoothd", .note, "does not publish its version", command: "bluetoothctl") { $0.daemon.version = nil },
        Case("bluetoothd", .note, "ignores intervals", command: "setcap", .intervalsIgnored) {
            $0.daemon.version = "5.76"
            $0.mayManage = false
        },
        Case("bus-advertising", .problem, tooStrict, command: "setcap", .strictKernel) {
            $0.kernel = "6.12.93+rpt-rpi-v8"
            $0.mayManage = false
        },
        Case("bus-advertising", .note, tooStrict) { $0.kernel = "6.18.34" },
        Case("cap-net-admin", .note, "CAP_NET_ADMIN", command: "setcap", .noNetAdmin) { $0.mayManage = false },
        Case("cap-net-admin", .note, "mounted with nosuid", command: "/usr/local/bin", .capabilitiesNosuid) {
            $0.mayManage = false
            $0.program = .init(hasCapabilities: true, isOnNosuid: true)
        },
        Case("cap-net-raw", .note, "may not get new privileges", .noNewPrivileges) {
            $0.mayMonitor = false
            $0.program = .init(hasCapabilities: true, forbidsNewPrivileges: true)
        },
        Case("cap-net-raw", .note, "CAP_NET_RAW", command: "setcap", .noNetRaw) { $0.mayMonitor = false },
    ]

    private static let adapterFaults: [Case] = [
        Case("rfkill", .problem, "hci0 is blocked by software", command: "rfkill unblock", .blocked) {
            $0.adapters[0].block = "by software"
        },
        Case("rfkill", .problem, "hci0 is blocked by a switch", .switchOff) { $0.adapters[0].block = "by a switch" },
        Case("power", .problem, "hci0 is powered off", command: "bluetoothctl power on", .adapterOff) {
            $0.adapters[0].isPowered = false
        },
        Case(
            "power", .problem, "hci0 is powered off", command: "/org/bluez/hci0 org.bluez.Adapter1 Powered b true",
            .adapterOff
        ) {
            $0.adapters[0].isPowered = false
            $0.adapters.append(adapter("hci1", address: "00:1B:DC:07:31:43"))
        },
        Case("power", .note, "hci0 is powered off") {
            $0.adapters[0].isPowered = false
            $0.adapters[0].block = "by software"
        },
        Case("power", .unknown, "is not known") { $0.adapters[0].isPowered = nil },
        Case("address", .problem, "00:00:00:00:00:00", command: "dmesg", .noAddress) {
            $0.adapters[0].address = "00:00:00:00:00:00"
        },
        Case("address", .unknown, "is not known") { $0.adapters[0].address = nil },
        Case(
            "duplicate-address", .problem, "hci0 and hci1 have the same address", command: "btmgmt --index 1 power off",
            .duplicateAddress
        ) { $0.adapters.append(adapter("hci1")) },
        Case("known-adapter", .ok, "supports Low Energy only") { $0.adapters[0].isLowEnergyOnly = true },
        Case("known-adapter", .note, "transmit powers of 1 to 29") { $0.adapters[0].transmitPower = [1, 29] },
        Case("known-adapter", .note, "csr-clone: it reports commands that it does not have") {
            $0.adapters[0].identity = AdapterIdentity(
                bus: "usb", usb: .init(vendor: 0x0A12, product: 1, release: 0x0134))
        },
        Case("kernel-log", .note, "10 min ago the kernel reported: Bluetooth: hci0: command 0x2005 tx timeout") {
            $0.kernelLog = [KernelMessage("Bluetooth: hci0: command 0x2005 tx timeout", at: 100)]
        },
        Case("kernel-log", .note, "2 times in all") {
            $0.kernelLog = Array(repeating: KernelMessage("Bluetooth: hci0: Opcode 0x2005 failed: -16"), count: 2)
        },
        Case("kernel-log", .unknown, "may not be read", command: "dmesg") { $0.kernelLog = nil },
    ]

    private static let programFaults: [Case] = [
        Case("discoverable", .problem, "hci0 is discoverable", command: "discoverable off", .discoverable) {
            $0.adapters[0].isDiscoverable = true
        },
        Case("discoverable", .problem, "hci0 is connectable", command: "--index 0 connectable off", .connectable) {
            $0.adapters[0].isConnectable = true
        },
        Case("discoverable", .unknown, "is not known") { $0.adapters[0].isDiscoverable = nil },
        Case("own-advertising", .problem, "is on", command: "btmgmt --index 0 advertising off", .ownAdvertising) {
            $0.adapters[0].hasOwnAdvertising = true
        },
        Case("scanning", .problem, "a program scans with hci0", command: "systemctl restart bluetooth", .scan) {
            $0.adapters[0].isDiscovering = true
            $0.adapters[0].isExtended = false
        },
        Case("scanning", .problem, "for the device C0:11:22:33:44:55", command: "remove C0:11", .backgroundScan) {
            $0.adapters[0].awaitedDevices = ["C0:11:22:33:44:55"]
            $0.adapters[0].isAwaitingForSure = true
            $0.adapters[0].isExtended = false
        },
        Case("scanning", .problem, "for the device", command: "hci0/dev_C0_11_22_33_44_55", .backgroundScan) {
            $0.adapters[0].awaitedDevices = ["C0:11:22:33:44:55"]
            $0.adapters[0].isAwaitingForSure = true
            $0.adapters[0].isExtended = false
            $0.adapters.append(adapter("hci1", address: "00:1B:DC:07:31:43"))
        },
        Case("scanning", .note, "is paired and away", command: "remove C0:11:22:33:44:55", .backgroundScan) {
            $0.adapters[0].awaitedDevices = ["C0:11:22:33:44:55"]
            $0.adapters[0].isExtended = false
        },
        Case("connections", .note, "connected to the device", command: "disconnect C0:11", .connection) {
            $0.adapters[0].connectedDevices = ["C0:11:22:33:44:55"]
        },
        Case("instances", .problem, "3 advertisements are on the air", command: "radios --clean", .leftovers) {
            $0.adapters[0].usedInstances = [6, 7, 8]
            $0.adapters[0].leftoverInstances = [6, 7, 8]
        },
        Case("instances", .note, "2 of 8 advertising instances", command: "restart bluetooth", .instancesShared) {
            $0.adapters[0].usedInstances = [1, 8]
        },
        Case("instances", .problem, "all 5 advertising instances", command: "restart bluetooth", .instancesFull) {
            $0.adapters[0].isExtended = false
            $0.adapters[0].instances = 5
            $0.adapters[0].activeInstances = 5
            $0.adapters[0].usedInstances = nil
        },
        Case("instances", .unknown, "are not known") { $0.adapters[0].instances = nil },
    ]

    private static func findings(_ facts: MachineFacts) -> [Finding] {
        MachineCheck.findings(facts, on: facts.adapter(selectedBy: .name("hci0")))
    }

    @Test func machineWithoutFaultsHasNoProblems() {
        let findings = Self.findings(Self.healthy)
        #expect(findings.filter { $0.result != .ok }.map(\.finding).isEmpty)
        #expect(findings.map(\.check) == MachineCheck.all.map(\.name))
        #expect(findings.allSatisfy { $0.meaning == nil && $0.command == nil })
    }

    @Test(arguments: faults)
    func faultIsFound(_ fault: Case) throws {
        var facts = Self.healthy
        fault.change(&facts)
        let found = Self.findings(facts).filter { $0.check == fault.check && $0.finding.contains(fault.words) }
        let finding = try #require(found.first, "\(Self.findings(facts).map(\.finding))")
        #expect(finding.result == fault.result)
        #expect(finding.command?.contains(fault.command ?? "") ?? (fault.command == nil), "\(finding)")
        if fault.command == nil { #expect(finding.command == nil) }
        #expect(finding.fault == fault.fault)
        if finding.result == .problem { #expect(finding.fault != nil && finding.action != nil) }
        if finding.result != .note { #expect(finding.meaning != nil, "\(finding)") }
    }

    @Test func everyCheckHasAFault() {
        #expect(Set(Self.faults.map(\.check)) == Set(MachineCheck.all.map(\.name)))
    }

    @Test func everyCheckIsNamedOnce() {
        #expect(Set(MachineCheck.all.map(\.name)).count == MachineCheck.all.count)
        #expect(MachineCheck.all.allSatisfy { $0.question.hasSuffix("?") && !$0.source.isEmpty })
    }

    @Test func checksOfTheAdapterNeedOne() {
        var facts = Self.healthy
        facts.adapters = []
        let checks = Set(Self.findings(facts).map(\.check))
        #expect(checks.isDisjoint(with: AdapterChecks.all.map(\.name)))
    }

    @Test(
        arguments: [
            ("6.12.87", "5.82", false), ("6.12.88", "5.82", true), ("6.12.93+rpt-rpi-v8", "5.66", true),
            ("6.12.117", "5.66", false), ("6.18.24", "5.82", false), ("6.18.34", "5.86", true),
            ("6.18.36", "5.82", false), ("6.18.34", "5.87", false), ("6.12.93", "5.55", false),
            ("6.1.0-44-amd64", "5.66", false), ("unknown", "5.66", false),
        ])
    func kernelsOfMid2026AreRecognised(_ kernel: String, version: String, isStrict: Bool) {
        var facts = Self.healthy
        facts.mayManage = false
        facts.kernel = kernel
        facts.daemon.version = version
        let found = Self.findings(facts).filter { $0.check == "bus-advertising" && $0.result == .problem }
        #expect(found.count == (isStrict ? 1 : 0))
    }

    @Test func scanIsAProblemOfLegacyControllersOnly() {
        var facts = Self.healthy
        facts.adapters[0].isDiscovering = true
        #expect(Self.findings(facts).allSatisfy { $0.result == .ok })
    }

    @Test func findingsHaveNoWholeAddress() {
        var facts = Self.healthy
        facts.adapters.append(Self.adapter("hci1"))
        facts.kernelLog = [KernelMessage("Bluetooth: hci0: command 0x2005 tx timeout with C0:FF:EE:00:00:01")]
        let text = Self.findings(facts).map { "\($0)" }.joined()
        #expect(!text.contains("07:31:42") && !text.contains("C0:FF:EE"))
    }

    @Test func peculiaritiesDoNotDependOnTheState() {
        var facts = Self.healthy
        facts.adapters[0].isPowered = false
        #expect(MachineCheck.peculiarities(of: facts.adapters[0], facts).isEmpty)
        facts.adapters[0].isLowEnergyOnly = true
        #expect(MachineCheck.peculiarities(of: facts.adapters[0], facts).count == 1)
        facts.adapters.append(Self.adapter("hci1"))
        facts.adapters[0].identity = AdapterIdentity(bus: "usb", usb: .init(vendor: 0x0BDA, product: 0x8771))
        let sentences = MachineCheck.peculiarities(of: facts.adapters[0], facts)
        #expect(sentences.contains { $0.contains("have the same address") })
        #expect(sentences.contains { $0.hasPrefix("rtl8761: dongles have no reset line") })
    }
}
