// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension KnownAdapter {
    /// The releases (bcdDevice) of clones with the identifiers of the CSR8510, from the kernel's list (btusb.c). Its release
    /// 0x8891 is left out here, because originals have it as well; the kernel finds those clones by their manufacturer.
    private static let cloneReleases: Set<UInt16> = [0x0100, 0x0134, 0x1915, 0x2520, 0x7558]

    private static let sharedAntenna = Quirk(
        "Wi-Fi at 2.4 GHz shares its antenna: advertisements and connections suffer while there is traffic",
        hint: "use Ethernet or Wi-Fi at 5 GHz, or a USB adapter")
    private static let serialErrors = Quirk(
        "its serial line may fail (\"Frame reassembly failed\", then \"tx timeout\" in the kernel's log), and it is "
            + "silent until a restart",
        hint: "switch the board off and on")
    private static let noScanBeside = Quirk(
        "beacons that are not connectable leave the air while the same adapter scans (\"Opcode 0x2005 failed: -16\")",
        hint: "give Home Assistant and other receivers an adapter of their own")
    private static let noResetLine = Quirk(
        "dongles have no reset line: one that does not answer returns only when it is plugged in again",
        hint: "unplug it and plug it in again")

    private static let addedFlags = Quirk(
        "it is an adapter for Low Energy only, so the kernel adds flags (02 01 04) to data without flags",
        hint: "leave flags: none out of the profile")

    /// A clone of the CSR8510, which the kernel's log also reports.
    static let csrClone = KnownAdapter(
        "csr-clone",
        "clone with the USB identifiers of the CSR8510",
        by: Identification(usb: [USBModel(0x0A12, 0x0001)]), .legacy,
        quirks: [
            Quirk(
                "it reports commands that it does not have; the kernel corrects that, and our own host (--radio "
                    + "hci-socket:N) does for most clones"),
            Quirk(
                "many have the address 00:1A:7D:DA:71:xx in common",
                hint: "use one of them on a machine, or other adapters"),
            Quirk("some do not advertise while a central is connected"),
        ],
        .source, sources: ["drivers/bluetooth/btusb.c", "home-assistant/home-assistant.io#25876"])

    /// The known adapters. The first that matches is the one that is recognised.
    package static let all = [
        KnownAdapter(
            "legacy", aliases: ["bluetooth-4"],
            "any controller without extended advertising, whatever its Bluetooth version", .legacy, .source,
            sources: ["net/bluetooth/mgmt.c"]),
        KnownAdapter(
            "raspberry-pi-3", "Raspberry Pi 3 Model B, Zero W (BCM43430A1)",
            by: Identification(boards: ["Raspberry Pi 3 Model B Rev", "Raspberry Pi Zero W"]), .legacy,
            quirks: [sharedAntenna, serialErrors, noScanBeside],
            .reports, sources: ["raspberrypi/linux#3675", "raspberrypi/linux#5460"]),
        KnownAdapter(
            "raspberry-pi-zero-2w", "Raspberry Pi Zero 2 W (BCM43430B0)",
            by: Identification(boards: ["Raspberry Pi Zero 2 W"]), .legacy,
            quirks: [
                sharedAntenna, serialErrors, noScanBeside,
                Quirk(
                    "a relative of the chip (CYW43439) sends connectable advertisements of more than some 100 ms "
                        + "every 0.8 to 6.5 s",
                    hint: "receive them with another adapter (beaconry expect)"),
            ],
            .inference, sources: ["bluekitchen/btstack#563", "raspberrypi/pico-sdk#1674"]),
        KnownAdapter(
            "raspberry-pi-4", aliases: ["raspberry-pi-3plus", "raspberry-pi-5"],
            "Raspberry Pi 3 Model A+ and B+, 4, 400, 5, 500, Compute Module 4 and 5 (BCM4345C0, CYW43455)",
            by: Identification(boards: [
                "Raspberry Pi 3 Model A Plus", "Raspberry Pi 3 Model B Plus", "Raspberry Pi 4", "Raspberry Pi 5",
                "Raspberry Pi Compute Module 4", "Raspberry Pi Compute Module 5",
            ]),
            .legacy,
            quirks: [
                Quirk("it reports HCI 5.0 and has no extended advertising"), sharedAntenna, serialErrors, noScanBeside,
                Quirk(
                    "after a cancelled outgoing connection it may refuse to advertise (\"Opcode 0x2006 failed\")",
                    hint: "make no connections from an adapter that has beacons"),
            ],
            .reports,
            sources: [
                "canonical/checkbox#2260", "snstac/aryaos#117", "raspberrypi/linux#5460", "bluez/bluetooth-next#610",
            ]),
        KnownAdapter(
            "csr8510", "CSR8510 A10, of many dongles",
            by: Identification(usb: [USBModel(0x0A12, 0x0001, except: cloneReleases)], manufacturer: 10), .legacy,
            quirks: [
                Quirk("some do not advertise while a central is connected"),
                Quirk(
                    "many dongles have the address 00:1A:7D:DA:71:xx in common",
                    hint: "use one of them on a machine, or other adapters"),
            ],
            .oneReport, sources: ["apache/mynewt-nimble#1465", "felis/USB_Host_Shield_2.0#432"]),
        csrClone,
        KnownAdapter(
            "bcm20702", "Broadcom BCM20702, of many dongles",
            by: Identification(usb: [USBModel(0x0B05, 0x17CB), USBModel(0x0A5C, 0x21E8)]), .legacy,
            quirks: [
                Quirk(
                    "without its patch file it is unstable",
                    hint: "install the file that the kernel's log names (\"Patch file not found\")")
            ],
            .oneReport, sources: ["home-assistant/core#99977"]),
        KnownAdapter(
            "intel-8265", "Intel 3165, 7265, 8260, 8265",
            by: Identification(usb: [USBModel(0x8087, 0x0A2A), USBModel(0x8087, 0x0A2B)]), .legacy,
            quirks: [Quirk("the 3165 may leave the USB bus")], .oneReport, sources: ["home-assistant/core#182261"]),
        KnownAdapter(
            "intel-9560", "Intel 9260, 9560",
            by: Identification(usb: [USBModel(0x8087, 0x0025), USBModel(0x8087, 0x0AAA)]), .extended(sets: nil),
            quirks: [
                Quirk(
                    "hardware errors (0x0c) may restart it, with another number: hci0 becomes hci1",
                    hint: "name it by its address, --radio bluez:ADDRESS")
            ],
            .oneReport, sources: ["StarLabsLtd/firmware#382"]),
        KnownAdapter(
            "ax200", "Intel AX200, AX201",
            by: Identification(usb: [USBModel(0x8087, 0x0029), USBModel(0x8087, 0x0026)]), .extended(sets: 12),
            transmitPower: -34...7, .reports, sources: ["martinpitt/python-dbusmock"]),
        KnownAdapter(
            "ax210", "Intel AX210, AX211, BE200",
            by: Identification(usb: [USBModel(0x8087, 0x0032), USBModel(0x8087, 0x0033)]), .extended(sets: 12),
            transmitPower: -34...7,
            quirks: [
                Quirk(
                    "LE Set Extended Advertising Data may fail (-38) until the power is cut",
                    hint: "shut the machine down, and switch it on again"),
                Quirk(
                    "in a virtual machine its firmware may fail to load (-19), and it comes and goes",
                    hint: "pass the whole USB controller to the machine, and block the driver on the host"),
            ],
            .oneReport,
            sources: ["bluez/bluez#2270", "home-assistant/operating-system#3985", "home-assistant/core#119085"]),
        KnownAdapter(
            "rtl8761", "Realtek RTL8761B, RTL8761BU, of many dongles",
            by: Identification(usb: [USBModel(0x0BDA, 0x8771), USBModel(0x0BDA, 0xA728), USBModel(0x2357, 0x0604)]),
            .extended(sets: 4),
            quirks: [
                noResetLine,
                Quirk("it does not scan while it has a connection (\"Opcode 0x2042 failed: -16\")"),
                Quirk(
                    "where the kernel does not load its firmware it advertises, and receives nothing",
                    hint: "look for the name of the firmware file in the kernel's log (rtl_bt/rtl8761bu_fw.bin)"),
            ],
            .oneReport,
            sources: ["bluez/bluetooth-next#133", "home-assistant/core#84755", "bluez/bluetooth-next#708"]),
        KnownAdapter(
            "rtl8852", "Realtek RTL8822C, RTL8852A, RTL8852B",
            by: Identification(usb: [
                USBModel(0x0BDA, 0xB00C), USBModel(0x0BDA, 0xC123), USBModel(0x0BDA, 0x2852), USBModel(0x0BDA, 0xC852),
                USBModel(0x0BDA, 0xB85B), USBModel(0x0BDA, 0x4852),
            ]),
            .extended(sets: nil), .inference, sources: ["drivers/bluetooth/btusb.c"]),
        KnownAdapter(
            "mt7921", "MediaTek MT7921, MT7922, MT7925", by: Identification(manufacturer: 0x0046), .extended(sets: 20),
            transmitPower: -14...13,
            quirks: [
                Quirk(
                    "its firmware may fail (\"wmt command timed out\", \"coredump\" in the kernel's log)",
                    hint: "switch the machine off and on")
            ],
            .oneReport, sources: ["OnlineLearningTutorials/mt7902_temp#17"]),
        KnownAdapter(
            "ats2851", "Actions ATS2851, of dongles sold as Bluetooth 5.3",
            by: Identification(usb: [USBModel(0x10D7, 0xB012)]),
            .extended(sets: nil),
            quirks: [
                Quirk("it reports commands that it refuses; the kernel and our own host use older ones instead"),
                Quirk("its transmit power cannot be read"),
            ],
            .source, sources: ["drivers/bluetooth/btusb.c", "bluez/bluetooth-next#9"]),
        KnownAdapter(
            "nrf52-zephyr", "Nordic nRF52 with Zephyr's sample hci_usb or hci_uart",
            by: Identification(usb: [USBModel(0x2FE3, 0x000B)]), .legacy, isLowEnergyOnly: true,
            quirks: [
                Quirk(
                    "it has no public address, and no extended advertising unless it is built with CONFIG_BT_EXT_ADV"),
                addedFlags,
            ],
            .source, sources: ["zephyrproject-rtos/zephyr#11016"]),
        KnownAdapter(
            "nrf52-zephyr-ext", "Nordic nRF52 with Zephyr, built with CONFIG_BT_EXT_ADV", .extended(sets: 1),
            isLowEnergyOnly: true,
            quirks: [
                Quirk("it has no public address"),
                addedFlags,
                Quirk("CONFIG_BT_EXT_ADV_MAX_ADV_SET is the number of its advertising sets: 1 by default"),
                Quirk("old versions accept numbers of sets below their count only"),
            ],
            .source, sources: ["zephyrproject-rtos/zephyr#26579"]),
    ]
}
