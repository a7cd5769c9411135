// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth

/// The checks of the machine: kernel, bluetoothd, rights, and whether there is an adapter.
enum HostChecks {
    /// In the order in which the page has them.
    static let all = [kernel, adapter, daemon, busAdvertising, networkAdministration, rawNetwork]

    private static let kernel = MachineCheck(
        "kernel", "Does the kernel support Bluetooth?", from: "a socket of AF_BLUETOOTH, /proc/sys/kernel/osrelease"
    ) { subject in
        let facts = subject.facts
        if facts.kernelHasBluetooth { return [.ok("Linux \(facts.kernel) supports Bluetooth")] }
        if facts.daemon.isRunning, !facts.adapters.isEmpty {
            return [
                .note(
                    "Linux \(facts.kernel) has no Bluetooth; a program in place of bluetoothd provides the adapters",
                    meaning: "beacons are only on the air of that program, such as the virtual air of beaconry dbus")
            ]
        }
        return [.problem(.noKernelBluetooth, "Linux \(facts.kernel) has no Bluetooth")]
    }

    private static let adapter = MachineCheck(
        "adapter", "Is there an adapter, and which?",
        from: "/sys/class/bluetooth, org.bluez, Read Controller Information"
    ) { subject in
        let facts = subject.facts
        guard let adapter = subject.adapter else {
            // Without a kernel with Bluetooth, that is what is missing.
            guard facts.kernelHasBluetooth || facts.daemon.isRunning else { return [] }
            guard let other = facts.adapters.first(where: \.canAdvertise) ?? facts.adapters.first else {
                return [.problem(.noAdapter)]
            }
            let names = facts.adapters.map(\.name).joined(separator: ", ")
            return [
                .problem(
                    .otherAdapter, at: Fault.Place(other: other.name),
                    "the adapter of --radio is not there; there are \(names)")
            ]
        }
        let description = adapter.description(subject.known)
        guard adapter.isManaged || !facts.daemon.isRunning else { return [unmanaged(adapter, subject)] }
        guard adapter.supportsLowEnergy != false else { return [.problem(.noLowEnergy, at: subject.place())] }
        if adapter.isLowEnergyOn == false {
            return [.problem(facts.controllerMode == "bredr" ? .classicMode : .lowEnergyOff, at: subject.place())]
        }
        guard adapter.isExtended != nil || !adapter.isManaged || adapter.isPowered == false else {
            return [
                .problem(
                    .noLowEnergy, at: subject.place(), "\(adapter.name) cannot advertise over Bluetooth Low Energy")
            ]
        }
        return [.ok(description)]
    }

    /// Why bluetoothd does not manage an adapter.
    private static func unmanaged(_ adapter: MachineFacts.Adapter, _ subject: MachineCheck.Subject) -> Finding {
        let facts = subject.facts
        // bluetoothd leaves an adapter for Low Energy only alone then.
        if facts.controllerMode == "bredr", adapter.isLowEnergyOnly != false, adapter.isUp != true {
            return .problem(.classicMode, at: subject.place())
        }
        guard adapter.isUp == true, adapter.isPowered != true else {
            return .problem(.notStarted, at: subject.place())
        }
        let users = facts.controllerUsers
        let names = users.map { "\($0.name) (process \($0.identifier))" }.joined(separator: " or ")
        return .problem(
            .adapterInUse, at: subject.place(process: users.count == 1 ? users[0].identifier : nil),
            names.isEmpty ? nil : "\(adapter.name) is used exclusively by another program: \(names)")
    }

    private static let daemon = MachineCheck(
        "bluetoothd", "Does bluetoothd run, and in which version?", from: "org.bluez on the system bus, its Modalias"
    ) { subject in
        let facts = subject.facts
        let daemon = facts.daemon
        guard daemon.isRunning else { return [.problem(daemon.fault ?? .daemonOff)] }
        let options = daemon.isExperimental == true ? ", with experimental interfaces (-E)" : ""
        guard let version = daemon.version.flatMap(BlueZVersion.init(text:)) else {
            // Without adapters it has no object that has the version.
            guard !facts.adapters.isEmpty else { return [.ok("bluetoothd is running\(options)")] }
            return [
                .note(
                    "bluetoothd is running\(options); it does not publish its version",
                    meaning: "DeviceID in /etc/bluetooth/main.conf replaces the version, so what it carries is not "
                        + "known",
                    command: "bluetoothctl --version")
            ]
        }
        guard version >= BlueZVersion(5, 66) else {
            return [.problem(.daemonOld, "bluetoothd \(version) is running\(options), which is older than 5.66")]
        }
        guard facts.mayManage || version >= BlueZVersion(5, 77) || daemon.isExperimental == true else {
            return [.note(.intervalsIgnored, "bluetoothd \(version) is running, which ignores intervals without -E")]
        }
        return [.ok("bluetoothd \(version) is running\(options)")]
    }

    /// Kernels whose Add Extended Advertising Data refuses the request of bluetoothd 5.56 to 5.86, which is 8 bytes too long.
    private static let strictKernels = [
        (major: 6, minor: 12, patches: 88...116), (major: 6, minor: 18, patches: 25...35),
    ]

    private static let busAdvertising = MachineCheck(
        "bus-advertising", "Can bluetoothd advertise with this kernel?", from: "the versions of kernel and bluetoothd"
    ) { subject in
        let facts = subject.facts
        guard let version = facts.daemon.version.flatMap(BlueZVersion.init(text:)),
            let release = KernelRelease(facts.kernel)
        else { return [] }
        let isStrict = strictKernels.contains {
            release.major == $0.major && release.minor == $0.minor && $0.patches.contains(release.patch)
        }
        guard isStrict, (BlueZVersion(5, 56)...BlueZVersion(5, 86)).contains(version) else {
            return [.ok("no fault is known of bluetoothd \(version) with Linux \(facts.kernel)")]
        }
        let finding = "Linux \(facts.kernel) is one of the kernels of mid-2026, and bluetoothd is \(version)"
        if facts.mayManage {
            return [
                .note(
                    finding,
                    meaning: "with these, programs without CAP_NET_ADMIN cannot advertise; beaconry has it, and can")
            ]
        }
        return [.problem(.strictKernel, finding)]
    }

    private static let networkAdministration = MachineCheck(
        "cap-net-admin", "May beaconry use the kernel's management socket?", from: "CapEff in /proc/self/status"
    ) { subject in
        if subject.facts.mayManage { return [.ok("beaconry may use the management socket (CAP_NET_ADMIN)")] }
        return [missing(.noNetAdmin, subject)]
    }

    private static let rawNetwork = MachineCheck(
        "cap-net-raw", "May beaconry read back what the controller gets?", from: "CapEff in /proc/self/status"
    ) { subject in
        if subject.facts.mayMonitor { return [.ok("beaconry may read the traffic of controllers (CAP_NET_RAW)")] }
        return [missing(.noNetRaw, subject)]
    }

    /// A right that this process does not have: why the capabilities of its file have no effect, or that it has none.
    private static func missing(_ fault: Fault, _ subject: MachineCheck.Subject) -> Finding {
        let program = subject.facts.program
        guard program.hasCapabilities, program.isOnNosuid || program.forbidsNewPrivileges else { return .note(fault) }
        let reason: Fault = program.isOnNosuid ? .capabilitiesNosuid : .noNewPrivileges
        return .note(
            reason, "\(fault.sentence()): \(reason.sentence())", meaning: "\(reason.meaning); \(fault.meaning)")
    }
}

// MARK: - Words

extension MachineFacts.Adapter {
    /// `hci0: Raspberry Pi 4 (CYW43455), HCI 5.0, legacy advertising, 5 instances`
    package func description(_ known: KnownAdapter?) -> String {
        let advertising = isExtended.map { $0 ? "extended advertising" : "legacy advertising" }
        let instances = instances.map { "\($0) \(isExtended == true ? "advertising sets" : "advertising instances")" }
        let name = known?.title ?? identity.usb.map { "\($0.name ?? "USB adapter") (\($0.identifier))" }
        let parts = [name, identity.versionText, advertising, instances].compactMap(\.self)
        return parts.isEmpty ? self.name : "\(self.name): \(parts.joined(separator: ", "))"
    }
}

extension BlueZVersion {
    /// Parses `5.66`; `nil` for other text.
    init?(text: String) {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(numbers[0], numbers[1])
    }
}

/// The numbers at the beginning of a kernel's release: `6.12.93+rpt-rpi-v8`.
struct KernelRelease: Hashable {
    let major: Int
    let minor: Int
    let patch: Int

    init?(_ text: String) {
        guard let match = text.prefixMatch(of: /([0-9]+)\.([0-9]+)\.([0-9]+)/), let major = Int(match.output.1),
            let minor = Int(match.output.2), let patch = Int(match.output.3)
        else { return nil }
        self.major = major
        self.minor = minor
        self.patch = patch
    }
}
