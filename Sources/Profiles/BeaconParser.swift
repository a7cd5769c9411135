// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import Yams

/// Reads one entry of a profile's `beacons`.
struct BeaconParser {
    private static let kinds = [
        PlainIBeacon.kind, IoTDesignShopBeacon.kind, RawAdvertiser.kind, GATTPeripheral.kind, BatteryMonitor.kind,
        SensorTag.kind, ANCSAccessory.kind,
    ]

    private var reader: MappingReader
    private let node: Node
    private(set) var faults: [ProfileFault] = []

    init(_ node: Node, _ reader: MappingReader) {
        self.node = node
        self.reader = reader
    }

    /// The beacon; `nil`, with faults, when something is wrong.
    mutating func parse() -> BeaconDefinition? {
        guard node.mapping != nil else {
            faults = reader.faults
            return nil
        }
        let id = reader.required("id", ValueText.name)
        let kind = reader.required("device") { text throws(ValueFault) in
            guard Self.kinds.contains(text) else {
                throw ValueFault(Spelling.unknown("there is no device \"\(text)\"", text, "devices", Self.kinds))
            }
            return text
        }
        guard let id, let kind else {
            // Without its kind, what keys it may have is not known.
            faults = reader.faults
            return nil
        }
        let device =
            switch kind {
            case PlainIBeacon.kind: plainIBeacon()
            case RawAdvertiser.kind: rawAdvertiser()
            case GATTPeripheral.kind:
                GATTParser.configuration(&reader, place: node.mark).map { DeviceProfile.gatt($0) }
            case BatteryMonitor.kind: battery()
            case SensorTag.kind: SensorTagParser.parse(&reader)
            case ANCSAccessory.kind: DeviceProfile.ancsAccessory(reader.ancsAccessory())
            default: iotDesignShop()
            }
        let position = position()
        let pairing = pairing(of: device)
        faults = reader.finish()
        guard faults.isEmpty, let device else { return nil }
        return BeaconDefinition(id: id, device: device, position: position, pairing: pairing)
    }

    /// `pairing: { io: display, passkey: 123456 }`
    private mutating func pairing(of device: DeviceProfile?) -> PairingSettings? {
        guard let part = reader.node("pairing") else { return device?.hardwarePairing }
        var parser = PairingParser(part, file: reader.file, path: "\(reader.path).pairing")
        let settings = parser.parse()
        reader.add(parser.faults)
        if let pdu = device?.pdu, !pdu.isConnectable {
            reader.add(
                "nothing connects to a beacon that sends \(pdu.rawValue), so nothing pairs with it; write pdu: ADV_IND, "
                    + "or leave pairing out", field: "pairing", mark: part.mark)
        }
        return settings
    }

    /// `position: [x, y]` or `[x, y, z]`.
    private mutating func position() -> Position? {
        guard let metres = reader.values("position", example: "[2, 0]", ValueText.metres) else { return nil }
        guard 2...3 ~= metres.count else {
            reader.add(
                "a position is two or three numbers of metres, such as [2.5, 4]", field: "position",
                mark: node.mapping?["position"]?.mark)
            return nil
        }
        return Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
    }

    private mutating func plainIBeacon() -> DeviceProfile? {
        let frame = frame(isRequired: true)
        let services = reader.values("services", ValueText.uuid) ?? []
        let name = reader.value("name", Self.localName)
        let needsScanResponse = name != nil || !services.isEmpty
        let pdu = reader.value("pdu", Self.pdu) ?? (needsScanResponse ? .scannable : .nonConnectable)
        if needsScanResponse, !pdu.isScannable {
            reader.add(
                "\(pdu.rawValue) has no scan response to carry name and services; write ADV_SCAN_IND or ADV_IND, or "
                    + "leave pdu out", field: "pdu", mark: node.mapping?["pdu"]?.mark)
        }
        if services.count > 1 {
            reader.add(
                "\(services.count) services of 16 octets do not fit into the 31 octets of a scan response; name one",
                field: "services", mark: node.mapping?["services"]?.mark)
        }
        let flags = reader.value("flags", ValueText.flags)
        let configuration = PlainIBeacon.Configuration(
            frame: frame ?? Self.noFrame, flags: flags ?? .beacon, pdu: pdu,
            interval: reader.value("interval", ValueText.radiatedInterval) ?? AdvertisingInterval(160),
            transmitPower: reader.value("tx-power", ValueText.transmitPower),
            address: reader.value("address", ValueText.address), services: services, name: name)
        return frame == nil ? nil : .plainIBeacon(configuration)
    }

    private mutating func iotDesignShop() -> DeviceProfile? {
        let frame = frame(isRequired: false) ?? Self.factoryFrame
        let interval = reader.value("interval", ValueText.storedInterval) ?? AdvertisingInterval(160)
        let power = reader.value("tx-power", ValueText.hardwarePower)
        let configuration = IoTDesignShopBeacon.Configuration(
            name: reader.value("name", Self.localName), address: reader.value("address", ValueText.address),
            badIntervalPolicy: reader.value("on-bad-interval", Self.badIntervalPolicy) ?? .clamp,
            advertisesWhileConnected: reader.value("advertise-while-connected", ValueText.boolean) ?? false,
            measuredPowers: reader.pairs(
                "measured-power-by-tx-power", ValueText.hardwarePower, ValueText.measuredPower) ?? [:])
        return .iotDesignShop(
            configuration,
            IoTDesignShopSettings(
                uuid: frame.uuid, major: frame.major, minor: frame.minor,
                powerCode: power.flatMap(IoTDesignShopWire.code(of:)),
                intervalTicks: UInt16(truncatingIfNeeded: interval.count), measuredPower: frame.measuredPower))
    }

    private mutating func rawAdvertiser() -> DeviceProfile? {
        let advertisingData = reader.required("advertising-data", ValueText.payload)
        let scanResponse = reader.value("scan-response", ValueText.payload) ?? []
        let pdu = reader.value("pdu", Self.pdu) ?? (scanResponse.isEmpty ? .nonConnectable : .scannable)
        if !scanResponse.isEmpty, !pdu.isScannable {
            reader.add(
                "\(pdu.rawValue) has no scan response; write ADV_SCAN_IND or ADV_IND, or leave pdu out", field: "pdu",
                mark: node.mapping?["pdu"]?.mark)
        }
        let configuration = RawAdvertiser.Configuration(
            pdu: pdu, advertisingData: advertisingData ?? [], scanResponse: scanResponse,
            interval: reader.value("interval", ValueText.radiatedInterval) ?? AdvertisingInterval(160),
            transmitPower: reader.value("tx-power", ValueText.transmitPower),
            address: reader.value("address", ValueText.address))
        return advertisingData == nil ? nil : .raw(configuration)
    }

    private mutating func battery() -> DeviceProfile? {
        let level = reader.quantity(BatteryMonitor.levelName, in: 0...100)
        let isBookCompatible = reader.value("book-compatible", ValueText.boolean)
        let hasPresentationFormat = reader.value("presentation", ValueText.boolean)
        var configuration = BatteryMonitor.Configuration(
            level: level ?? .fixed(100), isBookCompatible: isBookCompatible ?? false,
            hasPresentationFormat: hasPresentationFormat ?? false)
        configuration.name = reader.value("name", Self.localName) ?? configuration.name
        configuration.interval = reader.value("interval", ValueText.radiatedInterval) ?? configuration.interval
        configuration.transmitPower = reader.value("tx-power", ValueText.transmitPower)
        configuration.address = reader.value("address", ValueText.address)
        return .battery(configuration)
    }

    private static let factoryFrame = IBeacon(
        uuid: IoTDesignShopWire.service, major: 1, minor: 1, measuredPower: MeasuredPower(-59))
    private static let noFrame = IBeacon(
        uuid: IoTDesignShopWire.service, major: 0, minor: 0, measuredPower: MeasuredPower(-59))

    /// The `ibeacon` mapping; with `isRequired`, it and its UUID must be there.
    private mutating func frame(isRequired: Bool) -> IBeacon? {
        for key in ["uuid", "major", "minor", "measured-power"] { reader.owners[key] = "ibeacon" }
        guard let part = reader.node("ibeacon") else {
            if isRequired { reader.add("\"ibeacon\" is missing", field: nil, mark: node.mark) }
            return nil
        }
        var frame = isRequired ? Self.noFrame : Self.factoryFrame
        var values = MappingReader(part, file: reader.file, path: "\(reader.path).ibeacon")
        if part.mapping != nil {
            let uuid =
                isRequired ? values.required("uuid", ValueText.uuid) : values.value("uuid", ValueText.uuid)
            frame.uuid = uuid ?? frame.uuid
            frame.major = values.value("major", ValueText.unsigned16) ?? frame.major
            frame.minor = values.value("minor", ValueText.unsigned16) ?? frame.minor
            frame.measuredPower = values.value("measured-power", ValueText.measuredPower) ?? frame.measuredPower
        }
        reader.add(values.finish())
        return frame
    }
}

// MARK: - Values of single keys

extension BeaconParser {
    static func localName(_ text: String) throws(ValueFault) -> String {
        guard 1...248 ~= text.utf8.count else { throw ValueFault("a name has 1 to 248 bytes") }
        return text
    }

    static func pdu(_ text: String) throws(ValueFault) -> AdvertisingPDU {
        guard let pdu = AdvertisingPDU(rawValue: text) else {
            let names = AdvertisingPDU.allCases.map(\.rawValue)
            throw ValueFault(Spelling.unknown("there is no PDU type \"\(text)\"", text, "types", names))
        }
        return pdu
    }

    private static func badIntervalPolicy(_ text: String) throws(ValueFault) -> IoTDesignShopBeacon.BadIntervalPolicy {
        guard let policy = IoTDesignShopBeacon.BadIntervalPolicy(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: ["clamp", "fail"]))
        }
        return policy
    }
}
