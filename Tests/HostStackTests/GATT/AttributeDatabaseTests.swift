// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct AttributeDatabaseTests {
    private static let genericAccess = GenericAccess(name: "Beacon", appearance: 0x0240)

    /// The table of the example in the specification (Core 5.4, Vol 3, Part G, Appendix B).
    private static let example: [GATTService] = [
        GATTService(
            uuid: .genericAccess,
            characteristics: [
                GATTCharacteristic(uuid: .deviceName, properties: [.read, .write]),
                GATTCharacteristic(uuid: .appearance, properties: .read),
            ]),
        GATTService(
            uuid: .genericAttribute,
            characteristics: [
                GATTCharacteristic(uuid: .serviceChanged, properties: .indicate),
                GATTCharacteristic(uuid: .clientSupportedFeatures, properties: [.read, .write]),
                GATTCharacteristic(uuid: .databaseHash, properties: .read),
            ]),
        GATTService(
            uuid: .bit16(0x1808), includedServices: [.bit16(0x180F)],
            characteristics: [
                GATTCharacteristic(uuid: .bit16(0x2A18), properties: [.read, .indicate, .extendedProperties])
            ]),
        GATTService(
            uuid: .bit16(0x180F), isPrimary: false,
            characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read)]),
    ]

    @Test func hashMatchesTheSpecificationsExample() throws {
        let expected = try Hexadecimal.bytes("F1CA2D48ECF58BAC8A8830BBB9FBA990")
        let big = try AttributeDatabase(
            services: Self.example, genericAccess: Self.genericAccess, hashOrder: .bigEndian)
        #expect(big.hash == expected)
        let little = try AttributeDatabase(services: Self.example, genericAccess: Self.genericAccess)
        #expect(little.hash == expected.reversed())
        #expect(big.attributes.count == 0x16)
    }

    /// The hash changes with what clients see of declarations, and with nothing else.
    @Test func hashChangesWithDeclarationsOnly() throws {
        func hash(_ services: [GATTService], name: String = "Beacon") throws -> [UInt8] {
            try AttributeDatabase(services: services, genericAccess: GenericAccess(name: name)).hash
        }
        let battery = GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read)
        let base = try hash([GATTService(uuid: .bit16(0x180F), characteristics: [battery])])
        #expect(base.count == 16)
        let protected = GATTCharacteristic(
            uuid: .bit16(0x2A19), properties: .read, permissions: AttributePermissions(read: .encryption))
        #expect(try hash([GATTService(uuid: .bit16(0x180F), characteristics: [protected])], name: "Other") == base)
        let others = [
            GATTService(uuid: .bit16(0x1810), characteristics: [battery]),
            GATTService(uuid: .bit16(0x180F), isPrimary: false, characteristics: [battery]),
            GATTService(uuid: .bit16(0x180F), includedServices: [.genericAccess], characteristics: [battery]),
            GATTService(
                uuid: .bit16(0x180F),
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])]),
            GATTService(
                uuid: .bit16(0x180F),
                characteristics: [
                    GATTCharacteristic(
                        uuid: .bit16(0x2A19), properties: .read, descriptors: [.userDescription("Battery")])
                ]),
        ]
        for other in others { #expect(try hash([other]) != base) }
    }

    @Test func genericServicesComeFirst() throws {
        let parameters = ConnectionParameterUpdateRequest(
            minimumInterval: Ticks(80), maximumInterval: Ticks(160), latency: 0, timeout: Ticks(1000))
        let database = try AttributeDatabase(
            services: [],
            genericAccess: GenericAccess(
                name: "TI BLE Sensor Tag", appearance: 0x0240, preferredConnectionParameters: parameters))
        let rows: [(UInt16, UInt16, String?)] = [
            (1, 0x2800, "0018"), (2, 0x2803, "020300002a"), (3, 0x2A00, "544920424c452053656e736f7220546167"),
            (4, 0x2803, "020500012a"), (5, 0x2A01, "4002"), (6, 0x2803, "020700042a"), (7, 0x2A04, "5000a0000000e803"),
            (8, 0x2800, "0118"), (9, 0x2803, "200a00052a"), (10, 0x2A05, nil), (11, 0x2902, nil),
            (12, 0x2803, "0a0d00292b"), (13, 0x2B29, nil), (14, 0x2803, "020f002a2b"), (15, 0x2B2A, nil),
        ]
        #expect(database.attributes.map(\.handle.rawValue) == rows.map(\.0))
        #expect(database.attributes.map(\.type) == rows.map { .bit16($0.1) })
        for (attribute, row) in zip(database.attributes, rows) {
            guard let text = row.2 else { continue }
            #expect(attribute.value == .constant(try Hexadecimal.bytes(text)), "\(attribute.handle)")
        }
        #expect(database[8]?.groupEnd == 15)
        #expect(database[1]?.groupEnd == 7)
        #expect(database[11]?.value == .clientConfiguration(of: 10, allowed: .indication))
        #expect(database[13]?.value == .clientSupportedFeatures)
        #expect(database[15]?.value == .databaseHash)
        #expect(database[0] == nil)
        #expect(database[16] == nil)
        #expect(database[.last] == nil)
        #expect(database.valueHandle(of: .databaseHash) == 15)
        #expect(database.valueHandle(of: .bit16(0x2902)) == nil)
    }

    /// The layout of the first part of a SensorTag's table, whose handles are known from a dump of the device.
    @Test func declaredGenericServicesAreUnchanged() throws {
        func characteristic(_ short: UInt16, _ properties: CharacteristicProperties) -> GATTCharacteristic {
            GATTCharacteristic(uuid: .bit16(short), properties: properties)
        }
        let sensor = BluetoothUUID("F000AA00-0451-4000-B000-000000000000")
        let data = BluetoothUUID("F000AA01-0451-4000-B000-000000000000")
        let database = try AttributeDatabase(
            services: [
                GATTService(
                    uuid: .genericAccess,
                    characteristics: [
                        characteristic(0x2A00, .read), characteristic(0x2A01, .read),
                        characteristic(0x2A02, [.read, .write]), characteristic(0x2A03, .write),
                        characteristic(0x2A04, .read),
                    ]),
                GATTService(uuid: .genericAttribute, characteristics: [characteristic(0x2A05, .indicate)]),
                GATTService(
                    uuid: .bit16(0x180A),
                    characteristics: [0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50].map {
                        characteristic($0, .read)
                    }),
                GATTService(
                    uuid: sensor,
                    characteristics: [
                        GATTCharacteristic(
                            uuid: data, properties: [.read, .notify], descriptors: [.userDescription("IR Temp. Data")])
                    ]),
            ], genericAccess: Self.genericAccess)
        let handles: [(AttributeHandle, BluetoothUUID)] = [
            (0x0003, .bit16(0x2A00)), (0x0005, .bit16(0x2A01)), (0x0007, .bit16(0x2A02)), (0x0009, .bit16(0x2A03)),
            (0x000B, .bit16(0x2A04)), (0x000C, .primaryService), (0x000E, .bit16(0x2A05)), (0x000F, .bit16(0x2902)),
            (0x0010, .primaryService), (0x0012, .bit16(0x2A23)), (0x0022, .bit16(0x2A50)), (0x0023, .primaryService),
            (0x0025, data), (0x0026, .bit16(0x2902)), (0x0027, .bit16(0x2901)),
        ]
        for (handle, type) in handles { #expect(database[handle]?.type == type, "\(handle)") }
        #expect(database.attributes.count == 0x27)
        #expect(database[3]?.value == .owner)
        #expect(database[9]?.isReadable == false)
        #expect(database[9]?.isWritable == true)
    }

    @Test func descriptorsComeWithProperties() throws {
        func descriptors(
            _ properties: CharacteristicProperties, _ declared: [GATTDescriptor] = []
        ) throws -> [BluetoothUUID] {
            let characteristic = GATTCharacteristic(
                uuid: .bit16(0x2A19), properties: properties, descriptors: declared)
            let service = GATTService(uuid: .bit16(0x180F), characteristics: [characteristic])
            let database = try AttributeDatabase(services: [service], genericAccess: Self.genericAccess)
            let value = try #require(database.valueHandle(of: .bit16(0x2A19)))
            return database[value...AttributeHandle.last].dropFirst().map(\.type)
        }
        let client = BluetoothUUID.clientCharacteristicConfiguration
        let server = BluetoothUUID.serverCharacteristicConfiguration
        #expect(try descriptors(.read) == [])
        #expect(try descriptors(.notify) == [client])
        #expect(try descriptors(.indicate) == [client])
        #expect(try descriptors([.broadcast, .notify]) == [client, server])
        #expect(try descriptors([.read, .extendedProperties]) == [.characteristicExtendedProperties])
        #expect(
            try descriptors(
                [.notify, .extendedProperties], [.extendedProperties(.reliableWrite), .clientConfiguration])
                == [.characteristicExtendedProperties, client])
        #expect(try descriptors(.read, [.clientConfiguration, .userDescription("x")]).first == client)
    }

    @Test func longUUIDsOfTheBluetoothBaseAreShort() throws {
        let long = BluetoothUUID("0000180F-0000-1000-8000-00805F9B34FB")
        let wide = BluetoothUUID.bit32(0x0001_180F)
        let database = try AttributeDatabase(
            services: [GATTService(uuid: long, characteristics: []), GATTService(uuid: wide, characteristics: [])],
            genericAccess: Self.genericAccess)
        #expect(database[14]?.value == .constant([0x0F, 0x18]))
        #expect(
            database[15]?.value
                == .constant(try Hexadecimal.bytes("fb349b5f8000 0080 0010 0000 0f180100")))
    }

    @Test func includedServicesAreFoundByType() throws {
        let long = BluetoothUUID("2173E519-9155-4862-AB64-7953AB146156")
        let services = [
            GATTService(uuid: .bit16(0x1809), includedServices: [long, .bit16(0x180F)], characteristics: []),
            GATTService(uuid: long, isPrimary: false, characteristics: []),
            GATTService(
                uuid: .bit16(0x180F),
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read)]),
        ]
        let database = try AttributeDatabase(services: services, genericAccess: Self.genericAccess)
        #expect(database[15]?.value == .constant([0x11, 0, 0x11, 0]))
        #expect(database[16]?.value == .constant([0x12, 0, 0x14, 0, 0x0F, 0x18]))
        #expect(database[17]?.type == .secondaryService)
        #expect(throws: AttributeDatabaseError.includedServiceMissing(.bit16(0x1234))) {
            _ = try AttributeDatabase(
                services: [
                    GATTService(uuid: .bit16(0x1809), includedServices: [.bit16(0x1234)], characteristics: [])
                ], genericAccess: Self.genericAccess)
        }
    }

    @Test func tooManyAttributesAreRefused() throws {
        func service(_ count: Int) -> GATTService {
            GATTService(
                uuid: .bit16(0x180F),
                characteristics: Array(
                    repeating: GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read), count: count))
        }
        // 13 attributes of the generic services, one declaration, two each.
        let full = try AttributeDatabase(
            services: [service(32760), GATTService(uuid: .bit16(0x1810), characteristics: [])],
            genericAccess: Self.genericAccess)
        #expect(full.attributes.count == 65535)
        #expect(full[.last]?.type == .primaryService)
        #expect(throws: AttributeDatabaseError.tooManyAttributes(65536)) {
            _ = try AttributeDatabase(services: [service(32761)], genericAccess: Self.genericAccess)
        }
    }

    @Test func longNamesAreCutBetweenCharacters() throws {
        func name(_ text: String) throws -> Attribute.Value? {
            try AttributeDatabase(services: [], genericAccess: GenericAccess(name: text))[3]?.value
        }
        #expect(try name(String(repeating: "x", count: 248)) == .constant([UInt8](repeating: 0x78, count: 248)))
        #expect(try name(String(repeating: "x", count: 300)) == .constant([UInt8](repeating: 0x78, count: 248)))
        let cut = String(repeating: "x", count: 247) + "é"
        #expect(try name(cut) == .constant([UInt8](repeating: 0x78, count: 247)))
    }

    /// GAP takes 1 to 5 and GATT 6 to 13; each service here takes 3 handles.
    @Test(
        arguments: [
            ([0x180F, 0x1810], [0x180F, 0x1810], nil),
            ([0x180F], [0x180F, 0x1810], 17...19),
            ([0x180F, 0x1810], [0x180F], 17...19),
            ([0x180F, 0x1810], [0x1811, 0x1810], 14...16),
            ([0x180F, 0x1810, 0x1812], [0x180F, 0x1811, 0x1812], 17...19),
            ([0x180F, 0x1810], [0x1810], 14...19),
            ([], [0x180F], 14...16),
        ] as [([UInt16], [UInt16], ClosedRange<UInt16>?)])
    func affectedHandlesAreThoseOfWholeServices(
        _ old: [UInt16], _ new: [UInt16], _ expected: ClosedRange<UInt16>?
    ) throws {
        func database(_ services: [UInt16]) throws -> AttributeDatabase {
            try AttributeDatabase(
                services: services.map {
                    GATTService(
                        uuid: .bit16($0), characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read)]
                    )
                }, genericAccess: GenericAccess(name: "Beacon"))
        }
        let range = try database(new).affectedHandles(since: try database(old))
        #expect(range == expected.map { AttributeHandle($0.lowerBound)...AttributeHandle($0.upperBound) })
    }

    @Test func changedCharacteristicAffectsItsWholeService() throws {
        func database(
            _ uuid: UInt16 = 0x2A1B, properties: CharacteristicProperties = .read,
            permissions: AttributePermissions = .open, name: String = "Beacon"
        ) throws -> AttributeDatabase {
            let characteristics = [
                GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read),
                GATTCharacteristic(uuid: .bit16(uuid), properties: properties, permissions: permissions),
            ]
            return try AttributeDatabase(
                services: [
                    GATTService(uuid: .bit16(0x180F), characteristics: characteristics),
                    GATTService(uuid: .bit16(0x1810), characteristics: []),
                ], genericAccess: GenericAccess(name: name))
        }
        let base = try database()
        let service = AttributeHandle(14)...AttributeHandle(18)
        #expect(try database(0x2A1C).affectedHandles(since: base) == service)
        #expect(try database(properties: .write).affectedHandles(since: base) == service)
        // An additional descriptor moves the handles that follow.
        #expect(try database(properties: [.read, .notify]).affectedHandles(since: base) == AttributeHandle(14)...20)
        // Values and permissions are not part of the definition.
        let protected = AttributePermissions(read: .encryption)
        #expect(try database(permissions: protected, name: "Other").affectedHandles(since: base) == nil)
    }
}
