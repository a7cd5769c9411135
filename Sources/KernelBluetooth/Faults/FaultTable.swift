// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension Fault {
    /// The texts of a fault. `{hciN}` and `{N}` are the adapter, `{hciM}` and `{M}` another one, `{DEVICE}` an address and
    /// `{DEVICE_PATH}` the same in a path, `{PROCESS}` the number of a process, `{VIA}` the radio of --via.
    struct Entry: Sendable {
        let effect: Effect
        let sentence: String
        let meaning: String
        let action: String
        let command: String?
        /// The command on a machine with several adapters, where bluetoothctl would use the first; `nil` for the same.
        let commandAmongSeveral: String?

        init(
            _ effect: Effect, _ sentence: String, meaning: String, action: String, command: String? = nil,
            amongSeveral: String? = nil
        ) {
            self.effect = effect
            self.sentence = sentence
            self.meaning = meaning
            self.action = action
            self.command = command
            commandAmongSeveral = amongSeveral
        }
    }

    private static let grant = "sudo setcap cap_net_admin,cap_net_raw+p \"$(command -v beaconry)\""
    private static let restart = "sudo systemctl restart bluetooth"

    private static let cyclePower = "bluetoothctl power off && bluetoothctl power on"
    /// The same for an adapter of several.
    private static let cyclePowerAmongSeveral =
        "sudo btmgmt --index {N} power off && sudo btmgmt --index {N} power on"

    /// The command that sets a property of an adapter of several.
    private static func set(_ property: String, _ value: Bool) -> String {
        "busctl set-property org.bluez /org/bluez/{hciN} org.bluez.Adapter1 \(property) b \(value)"
    }

    var entry: Entry {
        switch self {
        case .noKernelBluetooth, .noBus, .daemonForbidden, .daemonOff, .daemonHangs, .daemonOld, .strictKernel,
            .kernelCrash:
            systemEntry
        case .noAdapter, .otherAdapter, .switchOff, .blocked, .classicMode, .noLowEnergy, .adapterInUse, .notStarted,
            .noAddress, .adapterOff, .lowEnergyOff:
            unusableAdapterEntry
        case .controllerSilent, .controllerLocked, .serialLine, .hardwareError, .controllerRefuses, .noFirmware,
            .noPatch, .sendsRarely, .notReceived:
            controllerEntry
        case .ownAdvertising, .leftovers, .instancesFull, .scan, .backgroundScan, .connection, .discoverable,
            .connectable, .duplicateAddress, .instancesShared:
            otherProgramEntry
        case .capabilitiesNosuid, .noNewPrivileges, .noNetAdmin, .noNetRaw, .intervalsIgnored: rightsEntry
        }
    }

    // MARK: - Kernel and bluetoothd

    private var systemEntry: Entry {
        switch self {
        case .noKernelBluetooth:
            Entry(
                .unusable, "this machine's kernel has no Bluetooth",
                meaning: "there is no adapter to advertise with, as in most containers and virtual machines",
                action: "load the module, or use --radio virtual", command: "sudo modprobe bluetooth")
        case .noBus:
            Entry(
                .unusable, "the system bus cannot be used",
                meaning: "bluetoothd is reached over D-Bus; in a container the socket "
                    + "/run/dbus/system_bus_socket must be mounted",
                action: "start the D-Bus daemon and bluetoothd", command: "sudo systemctl start dbus bluetooth")
        case .daemonForbidden:
            Entry(
                .unusable, "the system bus does not let this user talk to bluetoothd",
                meaning: "its policy for org.bluez lets some users or groups in only",
                action: "join the group that the policy names, often bluetooth, and log in again, or run as root",
                command: "sudo usermod -aG bluetooth \"$USER\"")
        case .daemonOff:
            Entry(
                .unusable, "bluetoothd is not running",
                meaning: "adapters are used with bluetoothd; without it only --radio hci-socket:N works",
                action: "start it", command: "sudo systemctl start bluetooth")
        case .daemonHangs:
            Entry(
                .unusable, "bluetoothd is running and does not answer",
                meaning: "it hangs, so that no beacon can be placed through it", action: "restart it", command: restart)
        case .daemonOld:
            Entry(
                .changed, "bluetoothd is older than 5.66",
                meaning: "BlueZ 5.66 is the oldest version that is supported", action: "update BlueZ",
                command: "sudo apt install bluez")
        case .strictKernel:
            Entry(
                .silent, "this is one of the kernels of mid-2026, and bluetoothd is 5.56 to 5.86",
                meaning: "such a kernel (6.12.93, 6.18.34) refuses each advertisement of bluetoothd 5.56 to 5.86 "
                    + "(\"Invalid Parameters\", org.bluez.Error.Failed)",
                action: "give beaconry CAP_NET_ADMIN, or update the kernel (6.18.36) or BlueZ (5.87)",
                command: Self.grant)
        default:
            Entry(
                .silent, "the kernel failed in a call of bluetoothd",
                meaning: "it may have ended bluetoothd, and may not work until the machine starts again (kernel BUG at "
                    + "lib/list_debug.c: Linux 6.1 of Debian 12, when a phone leaves at once)",
                action: "start the machine again; if this is repeated, use a newer kernel, or --radio hci-socket:{N}",
                command: "sudo systemctl reboot")
        }
    }

    private var restart: String { Self.restart }

    // MARK: - Adapters that cannot be used

    private var unusableAdapterEntry: Entry {
        switch self {
        case .noAdapter:
            Entry(
                .unusable, "this machine has no Bluetooth adapter",
                meaning: "none is plugged in, its driver is not loaded (lsusb; sudo dmesg), or this container or "
                    + "machine has no access",
                action: "plug one in, or give the machine or container access to one (docs/adapters.md)")
        case .otherAdapter:
            Entry(
                .unusable, "the adapter of --radio is not there",
                meaning: "the kernel may have given it another number", action: "name one that is there",
                command: "beaconry doctor --radio bluez:{hciM}")
        case .switchOff:
            Entry(
                .unusable, "{hciN} is blocked by a switch",
                meaning: "it cannot be switched on before the machine's switch or key for wireless is",
                action: "press the machine's switch or key for wireless")
        case .blocked:
            Entry(
                .unusable, "{hciN} is blocked by software",
                meaning: "it cannot be switched on; a new Raspberry Pi OS has it blocked", action: "unblock it",
                command: "sudo rfkill unblock bluetooth && bluetoothctl power on",
                amongSeveral: "sudo rfkill unblock bluetooth && sudo btmgmt --index {N} power on")
        case .classicMode:
            Entry(
                .unusable, "ControllerMode=bredr in /etc/bluetooth/main.conf switches Low Energy off",
                meaning: "beacons need Low Energy", action: "change the line, and restart bluetoothd",
                command: "sudo sed -i 's/^ *ControllerMode *=.*/ControllerMode = dual/' /etc/bluetooth/main.conf && "
                    + Self.restart)
        case .noLowEnergy:
            Entry(
                .unusable, "{hciN} has no Bluetooth Low Energy",
                meaning: "its controller is older than Bluetooth 4.0, or has BR/EDR only",
                action: "use an adapter of Bluetooth 4.0 or newer", command: "beaconry doctor --radio bluez:{hciM}")
        case .adapterInUse:
            Entry(
                .unusable, "{hciN} is used exclusively by another program",
                meaning: "bluetoothd does not manage it meanwhile (a user channel, as with --radio "
                    + "hci-socket:N)",
                action: "end that program", command: "sudo kill {PROCESS}")
        case .notStarted:
            Entry(
                .unusable, "{hciN} is present, but its controller did not start",
                meaning: "it does not answer, or refuses a command that the kernel needs, or its firmware is missing; "
                    + "the messages of the kernel name the reason (sudo dmesg)",
                action: "unplug it and plug it in again; switch a machine with a built-in adapter off and on")
        case .noAddress:
            Entry(
                .unusable, "{hciN} has the address 00:00:00:00:00:00",
                meaning: "its controller did not start as it should: its firmware is missing, or its serial line fails",
                action: "see what the kernel reports; unplug it and plug it in again, or switch the machine off and on",
                command: "sudo dmesg | grep -i bluetooth")
        case .adapterOff:
            Entry(
                .unusable, "{hciN} is powered off", meaning: "nothing is sent", action: "power it on",
                command: "bluetoothctl power on", amongSeveral: Self.set("Powered", true))
        default:
            Entry(
                .unusable, "Low Energy is switched off on {hciN}",
                meaning: "beacons need it; btmgmt le off does this, and ControllerMode=bredr",
                action: "switch it on", command: "sudo btmgmt --index {N} le on")
        }
    }

    // MARK: - Controllers

    private var controllerEntry: Entry {
        switch self {
        case .controllerSilent:
            Entry(
                .silent, "the controller of {hciN} does not answer",
                meaning: "its firmware hangs, or its serial line failed (\"tx timeout\" in the kernel's log)",
                action: "unplug it and plug it in again; switch a machine with a built-in adapter off and on: a "
                    + "restart alone does not reset the controller")
        case .controllerLocked:
            Entry(
                .silent, "the controller of {hciN} refuses a command until its power was off (-38)",
                meaning: "its firmware failed (Intel AX211), and a restart does not end that",
                action: "switch the machine off and on", command: "sudo systemctl poweroff")
        case .serialLine:
            Entry(
                .silent, "the serial line to the controller of {hciN} lost bytes",
                meaning: "the controller may be silent until a restart (Raspberry Pi)",
                action: "power it off and on; if that does not help, switch the machine off and on",
                command: Self.cyclePower, amongSeveral: Self.cyclePowerAmongSeveral)
        case .hardwareError:
            Entry(
                .silent, "the controller of {hciN} reported a hardware error",
                meaning: "the kernel started it again, and does not repeat advertisements that it believes to be there",
                action: "power it off and on: a run places its beacons again",
                command: Self.cyclePower, amongSeveral: Self.cyclePowerAmongSeveral)
        case .noFirmware:
            Entry(
                .silent, "the kernel could not load the firmware of {hciN}",
                meaning: "the adapter may advertise and receive nothing, or not work at all",
                action: "install the file that the kernel's log names", command: "sudo dmesg | grep -i firmware")
        case .noPatch:
            Entry(
                .changed, "{hciN} runs without its patch file", meaning: "it may be unstable",
                action: "install the file that the kernel's log names", command: "sudo dmesg | grep -i firmware")
        case .sendsRarely:
            Entry(
                .changed, "{hciN} sends less often than it should",
                meaning: "the controller has an interval of its own, or the receiver is too far away",
                action: "hold them closer together, or use another adapter or a shorter interval",
                command: "beaconry doctor --radio bluez:{hciM}")
        case .notReceived:
            Entry(
                .silent, "the radio of --via receives nothing of the beacon",
                meaning: "nothing is on the air although the controller was to advertise, or the receiver is too far "
                    + "away or has a fault of its own",
                action: "hold them closer together, and look what it receives at all",
                command: "beaconry scan --radio {VIA} --duration 10s")
        default:
            Entry(
                .silent, "the controller of {hciN} refuses to advertise",
                meaning: "as some do after a cancelled connection, or while they are busy with something else",
                action: "power it off and on, and make no connections from it",
                command: Self.cyclePower, amongSeveral: Self.cyclePowerAmongSeveral)
        }
    }

    // MARK: - Other programs

    private var otherProgramEntry: Entry {
        switch self {
        case .ownAdvertising:
            Entry(
                .silent, "the kernel's own advertising of {hciN} is on",
                meaning: "another program switched it on; the kernel accepts advertisements and sends none of them",
                action: "switch it off", command: "sudo btmgmt --index {N} advertising off")
        case .leftovers:
            Entry(
                .changed, "advertisements are on the air of {hciN}, left by a run that was killed",
                meaning: "they take turns with beacons, or their places; the next run removes them",
                action: "remove them", command: "beaconry radios --clean")
        case .instancesFull:
            Entry(
                .silent, "all advertising instances of {hciN} are in use",
                meaning: "a beacon is refused; if no program advertises, they were left by programs that failed",
                action: "end the programs that advertise; a restart of bluetoothd removes what they left",
                command: Self.restart)
        case .scan:
            Entry(
                .silent, "a program scans with {hciN}, which has legacy advertising",
                meaning: "beacons that are not connectable are off the air while it scans: the controller takes no new "
                    + "random address",
                action: "end the scan, or give Home Assistant and other receivers an adapter of their own",
                command: Self.restart)
        case .backgroundScan:
            Entry(
                .silent, "the kernel scans with {hciN} for the device {DEVICE}, which is away",
                meaning: "no program scans: the kernel waits for a paired device, or one that bluetoothd connects to, "
                    + "and beacons that are not connectable are off the air of a legacy controller meanwhile",
                action: "remove the device, switch it on, or give the beacons an adapter of their own",
                command: "bluetoothctl remove {DEVICE}",
                amongSeveral: "busctl call org.bluez /org/bluez/{hciN} org.bluez.Adapter1 RemoveDevice o "
                    + "/org/bluez/{hciN}/dev_{DEVICE_PATH}")
        case .connection:
            Entry(
                .silent, "{hciN} is connected to the device {DEVICE}",
                meaning: "some controllers do not advertise while they have a connection",
                action: "disconnect it, or give the beacons an adapter of their own",
                command: "bluetoothctl disconnect {DEVICE}",
                amongSeveral: "busctl call org.bluez /org/bluez/{hciN}/dev_{DEVICE_PATH} org.bluez.Device1 Disconnect")
        case .discoverable:
            Entry(
                .changed, "{hciN} is discoverable", meaning: connectableMeaning, action: "switch that off",
                command: "bluetoothctl discoverable off", amongSeveral: Self.set("Discoverable", false))
        case .connectable:
            Entry(
                .changed, "{hciN} is connectable", meaning: connectableMeaning, action: "switch that off",
                command: "sudo btmgmt --index {N} connectable off")
        case .duplicateAddress:
            Entry(
                .changed, "{hciN} and {hciM} have the same address",
                meaning: "cheap dongles are sold like that; receivers take both for one device, and so may bluetoothd",
                action: "switch one off, or unplug it", command: "sudo btmgmt --index {M} power off")
        default:
            Entry(
                .changed, "advertising instances of {hciN} are in use by others",
                meaning: "advertisements take turns on a legacy controller, and there are fewer advertising sets on an "
                    + "extended one",
                action: "end the programs that advertise; a restart of bluetoothd removes what they left",
                command: Self.restart)
        }
    }

    private var connectableMeaning: String {
        "the kernel makes every advertisement connectable meanwhile, with the adapter's own address: ADV_IND instead "
            + "of ADV_NONCONN_IND"
    }

    // MARK: - Rights

    private var rightsEntry: Entry {
        switch self {
        case .capabilitiesNosuid:
            Entry(
                .changed, "the file has the capabilities, and its file system is mounted with nosuid",
                meaning: "the kernel ignores capabilities of files on such a file system",
                action: "install it on another file system",
                command: "sudo install \"$(command -v beaconry)\" /usr/local/bin/beaconry && "
                    + "sudo setcap cap_net_admin,cap_net_raw+p /usr/local/bin/beaconry && hash -r")
        case .noNewPrivileges:
            Entry(
                .changed, "the file has the capabilities, and this process may not get new privileges",
                meaning: "the program that started it forbids that (no_new_privs), as NoNewPrivileges= of a service, "
                    + "and containers with no-new-privileges",
                action: "start it without that, or give the capabilities to the service or the container")
        case .noNetAdmin:
            Entry(
                .changed, "beaconry may not use the management socket (CAP_NET_ADMIN)",
                meaning: "bluetoothd composes the bytes: flags are last, and receivers that match the prefix 02 01 06 "
                    + "1A FF 4C 00 02 15 do not recognise an iBeacon",
                action: "give beaconry CAP_NET_ADMIN", command: Self.grant)
        case .noNetRaw:
            Entry(
                .changed, "beaconry may not read the traffic of controllers (CAP_NET_RAW)",
                meaning: "whether and how the controller is to advertise is not known",
                action: "give beaconry CAP_NET_RAW", command: Self.grant)
        default:
            Entry(
                .changed, "bluetoothd ignores intervals",
                meaning: "without CAP_NET_ADMIN, beacons are sent every 1.28 s, whatever interval is requested: "
                    + "bluetoothd before 5.77 honours it with -E only",
                action: "give beaconry CAP_NET_ADMIN, or start bluetoothd with -E", command: Self.grant)
        }
    }
}
