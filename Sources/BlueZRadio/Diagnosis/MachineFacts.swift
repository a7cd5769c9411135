// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import KernelBluetooth

/// What a machine shows of its Bluetooth at one time: kernel, bluetoothd, rights, adapters and messages of the kernel.
///
/// It is a value without behaviour, so that checks (`MachineCheck`) are functions of it, and it can be saved.
package struct MachineFacts: Codable, Hashable, Sendable {
    /// bluetoothd on the system bus.
    package struct Daemon: Codable, Hashable, Sendable {
        /// Whether it is on the bus.
        package var isRunning = false
        /// Why it cannot be used; `nil` if it can.
        package var fault: Fault?
        /// The same, as a sentence.
        package var trouble: String?
        /// Its version, such as `5.66`; `nil` if it does not publish it.
        package var version: String?
        /// Whether it was started with its experimental interfaces (`-E`); `nil` if that is unknown.
        package var isExperimental: Bool?
        /// When it was started, in seconds since 1970; `nil` if that is unknown.
        package var started: Double?

        package init(
            isRunning: Bool = false, fault: Fault? = nil, trouble: String? = nil, version: String? = nil,
            isExperimental: Bool? = nil
        ) {
            self.isRunning = isRunning
            self.fault = fault
            self.trouble = trouble ?? fault?.sentence()
            self.version = version
            self.isExperimental = isExperimental
        }
    }

    /// The rights that the file of this program has, and why this process may not have them.
    package struct ProgramFile: Codable, Hashable, Sendable {
        /// Whether the file has capabilities.
        package var hasCapabilities = false
        /// Whether its file system is mounted with nosuid, so that they have no effect.
        package var isOnNosuid = false
        /// Whether this process may not get new privileges, so that they have no effect either.
        package var forbidsNewPrivileges = false

        package init(hasCapabilities: Bool = false, isOnNosuid: Bool = false, forbidsNewPrivileges: Bool = false) {
            self.hasCapabilities = hasCapabilities
            self.isOnNosuid = isOnNosuid
            self.forbidsNewPrivileges = forbidsNewPrivileges
        }
    }

    /// A process.
    package struct Process: Codable, Hashable, Sendable {
        package let identifier: Int32
        package let name: String

        package init(_ identifier: Int32, _ name: String) {
            self.identifier = identifier
            self.name = name
        }
    }

    /// An adapter.
    package struct Adapter: Codable, Hashable, Sendable {
        /// The kernel's name, `hciN`.
        package var name: String
        /// The address; `nil` if it is not known.
        package var address: String?
        /// Whether bluetoothd manages it.
        package var isManaged = false
        /// How rfkill blocks it: "by software" or "by a switch"; `nil` if it does not.
        package var block: String?
        /// Whether it is powered; `nil` if unknown, like the properties below.
        package var isPowered: Bool?
        /// Whether it is visible to other devices; advertisements of the kernel are connectable then.
        package var isDiscoverable: Bool?
        /// Whether the adapter accepts connections; advertisements of the kernel are connectable then, too.
        package var isConnectable: Bool?
        /// Whether a scan of a program that uses bluetoothd runs.
        package var isDiscovering: Bool?
        /// Whether the kernel's own advertising is on (`btmgmt advertising on`).
        package var hasOwnAdvertising: Bool?
        /// Whether the controller supports Low Energy.
        package var supportsLowEnergy: Bool?
        /// Whether Low Energy is on.
        package var isLowEnergyOn: Bool?
        /// Whether the controller is up for the kernel or for a program, although bluetoothd does not manage it.
        package var isUp: Bool?
        /// The addresses of devices that are away, to which the kernel connects as soon as it receives them; it scans for them.
        package var awaitedDevices: [String] = []
        /// Whether `awaitedDevices` is the kernel's list, and not inferred from what is paired.
        package var isAwaitingForSure = false
        /// The addresses of connected devices.
        package var connectedDevices: [String] = []
        /// The kernel's numbers of the instances that killed runs have left.
        package var leftoverInstances: [UInt8] = []
        /// Whether the controller supports Low Energy only.
        package var isLowEnergyOnly: Bool?
        /// Whether the controller has extended advertising; `nil` if it has no advertising at all, or it is unknown.
        package var isExtended: Bool?
        /// The number of advertisements that bluetoothd or the kernel accepts in all.
        package var instances: Int?
        /// The number of advertisements of programs that use bluetoothd.
        package var activeInstances: Int?
        /// The kernel's numbers of the instances in use, of all programs.
        package var usedInstances: [UInt8]?
        /// The least and the greatest transmit power that it reports, in dBm.
        package var transmitPower: [Int]?
        /// By what it is recognised.
        package var identity = AdapterIdentity()

        package init(_ name: String) { self.name = name }

        /// The number of instances in use, of all programs, as the kernel or bluetoothd counts them.
        package var occupiedInstances: Int? {
            guard let usedInstances else { return activeInstances }
            return max(usedInstances.count, activeInstances ?? 0)
        }

        /// The instances of killed runs that are on the adapter. Linux 6.1 omits from its list those with a number that is
        /// greater than the count of instances (`read_adv_features`).
        package var presentLeftovers: [UInt8] {
            guard let usedInstances else { return [] }
            return leftoverInstances.filter { usedInstances.contains($0) || Int($0) > leftoverInstances.count }
        }

        /// The number of instances in use by others than killed runs.
        package var foreignInstances: Int? {
            guard let usedInstances else { return occupiedInstances }
            let others = usedInstances.filter { !leftoverInstances.contains($0) }
            return max(others.count, activeInstances ?? 0)
        }

        /// Whether a beacon can be advertised on it.
        package var canAdvertise: Bool {
            isManaged && isPowered == true && block == nil && isExtended != nil && isLowEnergyOn != false
        }

        /// The range of the transmit power, in dBm; `nil` if none is reported, or one that a transmitter cannot have (Core 5.4,
        /// Vol 6, Part A, 3: 20 dBm at most), as of controllers that report steps.
        package var plausibleTransmitPower: [Int]? {
            transmitPower.flatMap { $0.count == 2 && $0[0] <= $0[1] && $0[1] <= 20 ? $0 : nil }
        }
    }

    /// The release of the kernel, such as `6.12.93+rpt-rpi-v8`.
    package var kernel = ""
    /// Whether the kernel supports Bluetooth.
    package var kernelHasBluetooth = false
    /// The name of the board or computer; `nil` if unknown.
    package var board: String?
    /// The name of the system; `nil` if unknown.
    package var system: String?
    /// bluetoothd.
    package var daemon = Daemon()
    /// Whether this process may use the management socket (CAP_NET_ADMIN).
    package var mayManage = false
    /// Whether this process may read the traffic of the controllers (CAP_NET_RAW).
    package var mayMonitor = false
    /// The file of this program.
    package var program = ProgramFile()
    /// `ControllerMode` of bluetoothd's configuration; `nil` if it is not set.
    package var controllerMode: String?
    /// The programs that use controllers, except bluetoothd and this one, as far as they may be read; only if an adapter is
    /// not managed.
    package var controllerUsers: [Process] = []
    /// The adapters, in the order of their numbers.
    package var adapters: [Adapter] = []
    /// The kernel's messages about Bluetooth since the start of the machine; `nil` if they may not be read.
    package var kernelLog: [KernelMessage]?
    /// When the facts were read, in seconds since the start of the machine, as the kernel's messages have it.
    package var time: Double = 0

    package init() {}

    /// The known adapter that an adapter is; `nil` if it is none.
    package func knownAdapter(of adapter: Adapter) -> KnownAdapter? {
        KnownAdapter.recognise(adapter.identity, board: board)
    }

    /// The adapter that a radio with this selector uses; `nil` if there is none.
    package func adapter(selectedBy selector: AdapterSelector) -> Adapter? {
        switch selector {
        case .any: adapters.first { $0.isPowered == true } ?? adapters.first(where: \.isManaged) ?? adapters.first
        case .name(let name): adapters.first { $0.name == name }
        case .address(let address): adapters.first { $0.address == address.description }
        }
    }
}

// MARK: - Privacy

extension MachineFacts {
    /// The same facts for a report that others read: of the addresses of adapters only the manufacturer's part is left, and
    /// other addresses are replaced.
    package var anonymous: MachineFacts {
        var facts = self
        for index in facts.adapters.indices {
            facts.adapters[index].address = facts.adapters[index].address.map(Self.manufacturerPart)
            facts.adapters[index].awaitedDevices = facts.adapters[index].awaitedDevices.map(withoutAddresses)
            facts.adapters[index].connectedDevices = facts.adapters[index].connectedDevices.map(withoutAddresses)
        }
        facts.kernelLog = kernelLog.map { $0.map { KernelMessage(withoutAddresses($0.text), at: $0.time) } }
        return facts
    }

    /// `B8:27:EB:xx:xx:xx`
    package static func manufacturerPart(of address: String) -> String { "\(address.prefix(8)):xx:xx:xx" }

    /// A text in which the addresses of adapters are reduced to the manufacturer's part, and others are replaced.
    package func withoutAddresses(_ text: String) -> String {
        let own = Set(adapters.compactMap { $0.address?.uppercased() })
        return text.replacing(/[0-9A-Fa-f]{2}(?:[:_][0-9A-Fa-f]{2}){5}/) { match in
            let address = match.output.uppercased().replacing("_", with: ":")
            return own.contains(address) ? Self.manufacturerPart(of: address) : "xx:xx:xx:xx:xx:xx"
        }
    }
}
