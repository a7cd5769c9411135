// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The checks of the machine: kernel, bluetoothd, rights, and whether there is an adapter.
enum HostChecks {
    /// In the order in which a reader fixes what they find.
    static let all = [kernel, adapter, daemon, busAdvertising, networkAdministration, rawNetwork]

    /// The command that gives the program its capabilities.
    private static let grant = "sudo setcap cap_net_admin,cap_net_raw+p \"$(command -v beaconry)\""

    private static let kernel = MachineCheck(
        "kernel", "Does the kernel support Bluetooth?", from: "a socket of AF_BLUETOOTH, /proc/sys/kernel/osrelease"
    ) { subject in
        let facts = subject.facts
        if facts.kernelHasBluetooth { return [.ok("Linux \(facts.kernel) supports Bluetooth")] }
        if facts.daemon.isRunning, !facts.adapters.isEmpty {
            return [
                .note(
                    "Linux \(facts.kernel) has no Bluetooth; the adapters are those of a program in place of "
                        + "bluetoothd",
                    meaning: "beacons are on its air only, such as that of beaconry dbus")
            ]
        }
        return [
            .problem(
                "Linux \(facts.kernel) has no Bluetooth",
                meaning: "there is no adapter to advertise with, as in most containers and virtual machines",
                command: "sudo modprobe bluetooth")
        ]
    }

    private static let adapter = MachineCheck(
        "adapter", "Is there an adapter, and which?",
        from: "/sys/class/bluetooth, org.bluez, Read Controller Information"
    ) { subject in
        guard let adapter = subject.adapter else {
            guard !subject.facts.adapters.isEmpty else {
                return [
                    .problem(
                        "there is no Bluetooth adapter",
                        meaning: "none is plugged in, its driver is not loaded, or this container or machine has no "
                            + "access",
                        command: "lsusb; sudo dmesg | grep -i bluetooth")
                ]
            }
            let names = subject.facts.adapters.map(\.name).joined(separator: ", ")
            return [
                .problem(
                    "the adapter of --radio is not there; there are \(names)",
                    meaning: "the kernel may have given it another number", command: "beaconry radios")
            ]
        }
        let description = adapter.description(subject.known)
        guard adapter.isManaged || !subject.facts.daemon.isRunning else {
            return [
                .problem(
                    "\(description): bluetoothd does not manage it",
                    meaning: "another program uses it exclusively, or its controller did not start",
                    command: "sudo systemctl restart bluetooth")
            ]
        }
        guard adapter.isExtended != nil || !adapter.isManaged || adapter.isPowered == false else {
            return [
                .problem(
                    "\(description): it cannot advertise over Bluetooth Low Energy",
                    meaning: "it is too old, or Low Energy is off, as with ControllerMode=bredr in "
                        + "/etc/bluetooth/main.conf",
                    command: "sudo btmgmt --index \(adapter.name.dropFirst(3)) le on")
            ]
        }
        return [.ok(description)]
    }

    private static let daemon = MachineCheck(
        "bluetoothd", "Does bluetoothd run, and in which version?", from: "org.bluez on the system bus, its Modalias"
    ) { subject in
        let daemon = subject.facts.daemon
        guard daemon.isRunning else {
            return [
                .problem(
                    daemon.trouble ?? "bluetoothd is not running",
                    meaning: "adapters are used with bluetoothd; without it only --radio hci-socket:N works",
                    command: daemon.isForbidden
                        ? "sudo usermod -aG bluetooth \"$USER\"" : "sudo systemctl start bluetooth")
            ]
        }
        let options = daemon.isExperimental == true ? ", with experimental interfaces (-E)" : ""
        guard let version = daemon.version.flatMap(BlueZVersion.init(text:)) else {
            return [
                .note(
                    "bluetoothd is running\(options); it does not publish its version",
                    meaning: "DeviceID in /etc/bluetooth/main.conf replaces the version, so what it carries is not "
                        + "known",
                    command: "bluetoothctl --version")
            ]
        }
        guard version >= BlueZVersion(5, 66) else {
            return [
                .problem(
                    "bluetoothd \(version) is running\(options)",
                    meaning: "BlueZ 5.66 is the oldest version that is supported", command: "sudo apt install bluez")
            ]
        }
        let facts = subject.facts
        guard facts.mayManage || version >= BlueZVersion(5, 77) || daemon.isExperimental == true else {
            return [
                .note(
                    "bluetoothd \(version) is running, which ignores intervals without -E",
                    meaning: "without CAP_NET_ADMIN, beacons are sent every 1.28 s, whatever interval is requested",
                    command: grant)
            ]
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
        return [
            .problem(
                finding,
                meaning: "such a kernel refuses each advertisement of bluetoothd 5.56 to 5.86 (\"Invalid "
                    + "Parameters\"): update the kernel (6.18.36) or BlueZ (5.87), or give beaconry CAP_NET_ADMIN",
                command: grant)
        ]
    }

    private static let networkAdministration = MachineCheck(
        "cap-net-admin", "May beaconry use the kernel's management socket?", from: "CapEff in /proc/self/status"
    ) { subject in
        if subject.facts.mayManage { return [.ok("beaconry may use the management socket (CAP_NET_ADMIN)")] }
        return [
            .note(
                "beaconry may not use the management socket (CAP_NET_ADMIN)",
                meaning: "bluetoothd composes the bytes: flags are last, and receivers that match the prefix 02 01 06 "
                    + "1A FF 4C 00 02 15 do not recognise an iBeacon",
                command: grant)
        ]
    }

    private static let rawNetwork = MachineCheck(
        "cap-net-raw", "May beaconry read back what the controller gets?", from: "CapEff in /proc/self/status"
    ) { subject in
        if subject.facts.mayMonitor { return [.ok("beaconry may read the traffic of controllers (CAP_NET_RAW)")] }
        return [
            .note(
                "beaconry may not read the traffic of controllers (CAP_NET_RAW)",
                meaning: "whether and how the controller is to advertise is not known", command: grant)
        ]
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
