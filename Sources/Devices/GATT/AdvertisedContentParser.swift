// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

/// Reads the key `advertise` of a `device: gatt`, and checks its advertisement.
enum AdvertisedContentParser {
    /// Chooses the PDU type when the profile gives none, and reports one that does not suit the services.
    static func checkPDU(of configuration: inout GATTPeripheral.Configuration, _ reader: inout ProfileReader) {
        let hasServices = !configuration.services.isEmpty
        configuration.content.pdu = reader.pdu(
            configuration.content.pdu, default: hasServices ? .connectableScannable : .nonConnectable)
        if hasServices, !configuration.content.pdu.isConnectable {
            reader.add(
                "\(configuration.content.pdu.rawValue) accepts no connections, so the services cannot be used; write "
                    + "ADV_IND, or leave pdu out", field: "pdu", at: reader.place(of: "pdu"))
        }
    }

    /// Reads the key `advertise`.
    static func readParts(
        _ content: inout AdvertisedContent, _ reader: inout ProfileReader, of services: [DeclaredService]
    ) {
        let transmitPower = content.advertising.transmitPower
        let read = reader.part("advertise") { part -> AdvertisedContent? in
            var content = AdvertisedContent()
            content.services = part.values("services", ValueText.bluetoothUUID) ?? services.map(\.uuid)
            content.solicitedServices = part.values("solicited-services", ValueText.bluetoothUUID) ?? []
            content.serviceData = part.parts("service-data", of: "service", serviceData)?.compactMap(\.self) ?? []
            content.manufacturerData = part.part("manufacturer-data", manufacturerData)
            content.includesTransmitPower = part.value("tx-power", ValueText.boolean) ?? false
            if content.includesTransmitPower, transmitPower == nil {
                part.add(
                    "an unknown power cannot be advertised; write tx-power: 0dBm for the beacon", field: "tx-power",
                    at: part.place(of: "tx-power"))
            }
            return content
        }
        guard let read else { return }
        content.services = read.services
        content.solicitedServices = read.solicitedServices
        content.serviceData = read.serviceData
        content.manufacturerData = read.manufacturerData
        content.includesTransmitPower = read.includesTransmitPower
    }

    /// `{ uuid: 181A, data: 0a0b }`, or `{ uuid: 181A, value-of: temperature }`.
    private static func serviceData(_ part: inout ProfileReader) -> AdvertisedContent.ServiceData? {
        let uuid = part.required("uuid", ValueText.bluetoothUUID)
        let octets = octets(&part)
        guard let uuid, let octets else { return nil }
        return AdvertisedContent.ServiceData(service: uuid, octets: octets)
    }

    /// `{ company: 0x0131, data: 0a0b }`
    private static func manufacturerData(_ part: inout ProfileReader) -> AdvertisedContent.ManufacturerData? {
        let company = part.required("company", word)
        let octets = octets(&part)
        guard let company, let octets else { return nil }
        return AdvertisedContent.ManufacturerData(company: CompanyIdentifier(company), octets: octets)
    }

    private static func octets(_ part: inout ProfileReader) -> AdvertisedContent.Octets? {
        if let name = part.value("value-of", ValueText.attributeName) {
            if part.has("data") {
                part.add(
                    "value-of and data exclude each other; leave one of them out", field: "data",
                    at: part.place(of: "data"))
                _ = part.node("data")
            }
            return .value(of: name)
        }
        return part.has("value-of") ? nil : part.required("data", ValueText.octets).map { .fixed($0) }
    }

    private static func word(_ text: String) throws(ValueFault) -> UInt16 {
        UInt16(try ValueText.integer(text, in: 0...65535))
    }

    /// What is wrong with an advertisement that no radio can send; `nil` when one can.
    static func problem(of configuration: GATTPeripheral.Configuration) -> String? {
        let peripheral = GATTPeripheral(configuration)
        for problem in peripheral.advertisement(at: DeviceTime()).problems {
            switch problem {
            case .advertisingDataTooLong, .scanResponseTooLong, .scanResponseNeedsScannablePDU:
                return
                    "the advertisement does not fit into two PDUs of 31 bytes; write fewer services under advertise, "
                    + "or less data"
            case .intervalOutOfRange: continue
            }
        }
        return nil
    }
}
