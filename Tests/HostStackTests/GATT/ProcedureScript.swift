// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

/// A procedure, its requests with the responses, and its result.
struct ProcedureScript: Sendable, CustomTestStringConvertible {
    let name: String
    let procedure: GATTProcedure
    /// Requests and responses in turn, on a new connection with the smallest MTU.
    let exchanges: [String]
    let result: Result<GATTResult, ATTClientError>

    init(
        _ name: String, _ procedure: GATTProcedure, _ exchanges: [String], _ result: Result<GATTResult, ATTClientError>
    ) {
        self.name = name
        self.procedure = procedure
        self.exchanges = exchanges
        self.result = result
    }

    var testDescription: String { name }

    private static let long = AttributeFixture.service
    private static let battery = RemoteCharacteristic(
        uuid: AttributeFixture.battery, properties: .notify, declaration: 0x0F, value: 0x10, end: 0x13)
    private static let full = String(repeating: "07", count: 22)

    static let discovery: [ProcedureScript] = [
        ProcedureScript(
            "services until the last handle", .discoverPrimaryServices,
            [
                "10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0d00 0118",
                "10 0e00 ffff 0028", "11 14 0e00 ffff 566114ab537964ab6248559119e57321",
            ],
            .success(
                .services([
                    RemoteService(uuid: .bit16(0x1800), handles: 1...5),
                    RemoteService(uuid: .bit16(0x1801), handles: 6...13),
                    RemoteService(uuid: long, handles: 14...0xFFFF),
                ]))),
        ProcedureScript(
            "services until there are no more", .discoverPrimaryServices,
            ["10 0100 ffff 0028", "11 06 0100 0500 0018", "10 0600 ffff 0028", "01 10 0600 0a"],
            .success(.services([RemoteService(uuid: .bit16(0x1800), handles: 1...5)]))),
        ProcedureScript(
            "no services", .discoverPrimaryServices, ["10 0100 ffff 0028", "01 10 0100 0a"], .success(.services([]))),
        ProcedureScript(
            "services refused", .discoverPrimaryServices, ["10 0100 ffff 0028", "01 10 0100 08"],
            .failure(.refused(.insufficientAuthorization, 1))),
        ProcedureScript(
            "secondary services", .discoverSecondaryServices,
            ["10 0100 ffff 0128", "11 06 0600 0d00 0f18", "10 0e00 ffff 0128", "01 10 0e00 0a"],
            .success(.services([RemoteService(uuid: .bit16(0x180F), handles: 6...13)]))),
        ProcedureScript(
            "services by type", .discoverPrimaryServicesByUUID(.bit16(0x180F)),
            ["06 0100 ffff 0028 0f18", "07 0e00 1300 2000 2100", "06 2200 ffff 0028 0f18", "01 06 2200 0a"],
            .success(
                .services([
                    RemoteService(uuid: .bit16(0x180F), handles: 0x0E...0x13),
                    RemoteService(uuid: .bit16(0x180F), handles: 0x20...0x21),
                ]))),
        ProcedureScript(
            "services by long type", .discoverPrimaryServicesByUUID(long),
            ["06 0100 ffff 0028 566114ab537964ab6248559119e57321", "07 1400 ffff"],
            .success(.services([RemoteService(uuid: long, handles: 0x14...0xFFFF)]))),
        ProcedureScript(
            "included services", .findIncludedServices(in: 0x14...0x21),
            [
                "08 1400 2100 0228", "09 08 1500 0e0013000f18", "08 1600 2100 0228", "09 06 1600 31003100",
                "08 1700 2100 0228", "01 08 1700 0a", "0a 3100", "0b 566114ab537964ab6248559119e57321",
            ],
            .success(
                .inclusions([
                    IncludedService(
                        handle: 0x15, service: RemoteService(uuid: .bit16(0x180F), handles: 0x0E...0x13)),
                    IncludedService(handle: 0x16, service: RemoteService(uuid: long, handles: 0x31...0x31)),
                ]))),
        ProcedureScript(
            "included service that cannot be read", .findIncludedServices(in: 0x14...0x15),
            ["08 1400 1500 0228", "09 06 1500 31003100", "0a 3100", "01 0a 3100 0a"],
            .failure(.refused(.attributeNotFound, 0x31))),
        ProcedureScript(
            "characteristics", .discoverCharacteristics(in: 0x0E...0x18),
            [
                "08 0e00 1800 0328", "09 07 0f00 131000192a 1200 0213001a2a", "08 1300 1800 0328",
                "09 15 1700 0a1800 576114ab537964ab6248559119e57321", "08 1800 1800 0328", "01 08 1800 0a",
            ],
            .success(
                .characteristics([
                    RemoteCharacteristic(
                        uuid: .bit16(0x2A19), properties: [.read, .notify, .broadcast], declaration: 0x0F, value: 0x10,
                        end: 0x11),
                    RemoteCharacteristic(
                        uuid: .bit16(0x2A1A), properties: .read, declaration: 0x12, value: 0x13, end: 0x16),
                    RemoteCharacteristic(
                        uuid: AttributeFixture.identity, properties: [.read, .write], declaration: 0x17, value: 0x18,
                        end: 0x18),
                ]))),
        ProcedureScript(
            "characteristics of a type", .discoverCharacteristics(in: 0x0E...0x13, uuid: .bit16(0x2A1A)),
            ["08 0e00 1300 0328", "09 07 0f00 131000192a 1200 0213001a2a", "08 1300 1300 0328", "01 08 1300 0a"],
            .success(
                .characteristics([
                    RemoteCharacteristic(
                        uuid: .bit16(0x2A1A), properties: .read, declaration: 0x12, value: 0x13, end: 0x13)
                ]))),
        ProcedureScript(
            "descriptors", .discoverDescriptors(in: 0x11...0x13),
            ["04 1100 1300", "05 01 1100 0229 1200 0329", "04 1300 1300", "05 01 1300 0429"],
            .success(
                .descriptors([
                    RemoteDescriptor(uuid: .bit16(0x2902), handle: 0x11),
                    RemoteDescriptor(uuid: .bit16(0x2903), handle: 0x12),
                    RemoteDescriptor(uuid: .bit16(0x2904), handle: 0x13),
                ]))),
    ]

    static let values: [ProcedureScript] = [
        ProcedureScript("MTU", .exchangeMTU, ["02 0502", "03 f700"], .success(.mtu(247))),
        ProcedureScript("MTU of a large server", .exchangeMTU, ["02 0502", "03 ffff"], .success(.mtu(517))),
        ProcedureScript("MTU of a tiny server", .exchangeMTU, ["02 0502", "03 0000"], .success(.mtu(23))),
        ProcedureScript("MTU of an old server", .exchangeMTU, ["02 0502", "01 02 0000 06"], .success(.mtu(23))),
        ProcedureScript("short value", .read(0x1A), ["0a 1a00", "0b 01000100"], .success(.value([1, 0, 1, 0]))),
        ProcedureScript("empty value", .read(0x1A), ["0a 1a00", "0b"], .success(.value([]))),
        ProcedureScript(
            "refused value", .read(0x1A), ["0a 1a00", "01 0a 1a00 02"], .failure(.refused(.readNotPermitted, 0x1A))),
        ProcedureScript(
            "long value", .read(0x20),
            ["0a 2000", "0b \(full)", "0c 2000 1600", "0d \(full)", "0c 2000 2c00", "0d 08"],
            .success(.value([UInt8](repeating: 7, count: 44) + [8]))),
        ProcedureScript(
            "value that fills its PDU: nothing follows", .read(0x20),
            ["0a 2000", "0b \(full)", "0c 2000 1600", "0d"],
            .success(.value([UInt8](repeating: 7, count: 22)))),
        ProcedureScript(
            "value that fills its PDU: not long", .read(0x20),
            ["0a 2000", "0b \(full)", "0c 2000 1600", "01 0c 2000 0b"],
            .success(.value([UInt8](repeating: 7, count: 22)))),
        ProcedureScript(
            "value that fills its PDU: invalid offset", .read(0x20),
            ["0a 2000", "0b \(full)", "0c 2000 1600", "01 0c 2000 07"],
            .success(.value([UInt8](repeating: 7, count: 22)))),
        ProcedureScript(
            "long value that is refused half-way", .read(0x20),
            ["0a 2000", "0b \(full)", "0c 2000 1600", "01 0c 2000 0e"], .failure(.refused(.unlikely, 0x20))),
        ProcedureScript(
            "values of a type", .readByUUID(.bit16(0x2902)),
            ["08 0100 ffff 0229", "09 04 0900 0000 1100 0100", "08 1200 ffff 0229", "01 08 1200 0a"],
            .success(
                .values([AttributeValue(handle: 9, value: [0, 0]), AttributeValue(handle: 0x11, value: [1, 0])]))),
        ProcedureScript(
            "no value of a type", .readByUUID(.bit16(0x2902), in: 1...5), ["08 0100 0500 0229", "01 08 0100 0a"],
            .failure(.refused(.attributeNotFound, 1))),
        ProcedureScript(
            "several values", .readMultiple([0x10, 0x1A]), ["20 1000 1a00", "21 0100 64 0400 0100"],
            .success(
                .values([AttributeValue(handle: 0x10, value: [100]), AttributeValue(handle: 0x1A, value: [1, 0])]))),
        ProcedureScript(
            "more values than requested", .readMultiple([0x10, 0x1A]), ["20 1000 1a00", "21 0000 0000 0000"],
            .failure(.malformedResponse)),
        ProcedureScript("write", .write(0x1A, [2, 0, 3, 0]), ["12 1a00 02000300", "13"], .success(.done)),
        ProcedureScript(
            "refused write", .write(0x1A, [2]), ["12 1a00 02", "01 12 1a00 0d"],
            .failure(.refused(.invalidAttributeValueLength, 0x1A))),
        ProcedureScript(
            "write that just fits", .write(0x20, [UInt8](repeating: 7, count: 20)),
            ["12 2000 " + String(repeating: "07", count: 20), "13"], .success(.done)),
        ProcedureScript(
            "write that does not fit", .write(0x20, [UInt8](repeating: 7, count: 18) + [8, 9, 10]),
            [
                "16 2000 0000 " + String(repeating: "07", count: 18),
                "17 2000 0000 " + String(repeating: "07", count: 18), "16 2000 1200 08090a", "17 2000 1200 08090a",
                "18 01", "19",
            ], .success(.done)),
        ProcedureScript(
            "write from an offset on", .writeLong(0x20, offset: 5, [1]),
            ["16 2000 0500 01", "17 2000 0500 01", "18 01", "19"], .success(.done)),
        ProcedureScript(
            "part that is refused", .writeLong(0x20, [1]), ["16 2000 0000 01", "01 16 2000 09", "18 00", "19"],
            .failure(.refused(.prepareQueueFull, 0x20))),
        ProcedureScript(
            "part that comes back changed", .writeLong(0x20, [1]),
            ["16 2000 0000 01", "17 2000 0000 02", "18 00", "19"], .failure(.preparedValueMismatch)),
        ProcedureScript(
            "execution that is refused", .writeLong(0x20, [1]),
            ["16 2000 0000 01", "17 2000 0000 01", "18 01", "01 18 2000 0d"],
            .failure(.refused(.invalidAttributeValueLength, 0x20))),
        ProcedureScript(
            "reliable writes",
            .reliableWrite([AttributeValue(handle: 0x1A, value: [1]), AttributeValue(handle: 0x20, value: [])]),
            ["16 1a00 0000 01", "17 1a00 0000 01", "16 2000 0000", "17 2000 0000", "18 01", "19"], .success(.done)),
        ProcedureScript("subscribe", .subscribe(0x11, .notification), ["12 1100 0100", "13"], .success(.done)),
        ProcedureScript("unsubscribe", .subscribe(0x11, []), ["12 1100 0000", "13"], .success(.done)),
        ProcedureScript(
            "find the configuration and subscribe", .subscribeTo(battery, .indication),
            ["04 1100 1300", "05 01 1100 0129 1200 0229", "04 1300 1300", "01 04 1300 0a", "12 1200 0200", "13"],
            .success(.done)),
        ProcedureScript(
            "find no configuration", .subscribeTo(battery, .indication),
            ["04 1100 1300", "05 01 1100 0129", "04 1200 1300", "01 04 1200 0a"],
            .failure(.refused(.attributeNotFound, 0x10))),
    ]

    /// Servers that send impossible responses.
    static let nonsense: [ProcedureScript] = [
        nonsense("services backwards", .discoverPrimaryServices, ["10 0100 ffff 0028", "11 06 0600 0500 0018"]),
        nonsense(
            "the same service forever", .discoverPrimaryServices,
            ["10 0100 ffff 0028", "11 06 0100 0500 0018", "10 0600 ffff 0028", "11 06 0100 0500 0018"]
        ),
        nonsense(
            "overlapping services", .discoverPrimaryServices,
            ["10 0100 ffff 0028", "11 06 0100 0500 0018 0400 0600 0018"]),
        nonsense("service without a type", .discoverPrimaryServices, ["10 0100 ffff 0028", "11 07 0100 0500 001801"]),
        nonsense("service at 0", .discoverPrimaryServices, ["10 0100 ffff 0028", "11 06 0000 0500 0018"]),
        nonsense("no list", .discoverPrimaryServices, ["10 0100 ffff 0028", "11 06"]),
        nonsense(
            "service by type backwards", .discoverPrimaryServicesByUUID(.bit16(1)),
            ["06 0100 ffff 0028 0100", "07 0600 0500"]),
        nonsense(
            "inclusion of odd length", .findIncludedServices(in: 1...9), ["08 0100 0900 0228", "09 07 0200 0600060001"]),
        nonsense(
            "inclusion backwards", .findIncludedServices(in: 1...9), ["08 0100 0900 0228", "09 06 0200 06000500"]),
        nonsense(
            "included service without a type", .findIncludedServices(in: 1...2),
            ["08 0100 0200 0228", "09 06 0200 06000600", "0a 0600", "0b 01"]
        ),
        nonsense(
            "characteristic outside", .discoverCharacteristics(in: 1...5),
            ["08 0100 0500 0328", "09 07 0600 0207000028"]),
        nonsense(
            "value before its declaration", .discoverCharacteristics(in: 1...5),
            ["08 0100 0500 0328", "09 07 0200 0202000028"]),
        nonsense("value outside", .discoverCharacteristics(in: 1...5), ["08 0100 0500 0328", "09 07 0200 0206000028"]),
        nonsense(
            "characteristic without a type", .discoverCharacteristics(in: 1...5),
            ["08 0100 0500 0328", "09 05 0200 020300"]),
        nonsense("descriptor outside", .discoverDescriptors(in: 2...5), ["04 0200 0500", "05 01 0100 0229"]),
        nonsense("descriptor twice", .discoverDescriptors(in: 2...5), ["04 0200 0500", "05 01 0200 0229 0200 0229"]),
        nonsense("value of a type outside", .readByUUID(.bit16(1), in: 2...5), ["08 0200 0500 0100", "09 03 0600 01"]),
        nonsense("longer write response", .write(1, [1]), ["12 0100 01", "13 00"]),
    ]

    private static func nonsense(_ name: String, _ procedure: GATTProcedure, _ exchanges: [String]) -> ProcedureScript {
        ProcedureScript(name, procedure, exchanges, .failure(.malformedResponse))
    }

    /// Procedures that fail without a request.
    static let impossible: [ProcedureScript] = [
        ProcedureScript(
            "command that does not fit", .writeWithoutResponse(1, [UInt8](repeating: 0, count: 21)), [],
            .failure(.tooLong)),
        ProcedureScript(
            "past any value", .writeLong(1, offset: 0xFFFF, [1]), [], .failure(.tooLong)),
        ProcedureScript(
            "more handles than fit", .readMultiple(Array(repeating: 1, count: 12)), [], .failure(.tooLong)),
        ProcedureScript(
            "no room for descriptors",
            .subscribeTo(
                RemoteCharacteristic(uuid: .bit16(1), properties: .notify, declaration: 1, value: 2, end: 2),
                .notification), [], .failure(.refused(.attributeNotFound, 2))),
        ProcedureScript("range without a handle", .discoverDescriptors(in: 0...0), [], .success(.descriptors([]))),
    ]
}
