import BeaconryCentral

struct BeaconService: ServiceDescription {
    static let base: BaseUUID = "2173E519-9155-4862-AB64-7953AB146156"
    static let uuid = base.adding(0)

    let proximityUUID = CharacteristicDescription(base.adding(1), .uuidInTextOrder)
    let numbers = CharacteristicDescription(base.adding(2), ValueCodec<Numbers>.wire)
    let transmission = CharacteristicDescription(base.adding(3), ValueCodec<Transmission>.wire)
}

struct Numbers: WireCodable, Equatable {
    var major: UInt16
    var minor: UInt16

    init(parsing reader: inout ByteReader) throws(WireError) {
        major = try reader.readLittleEndian()
        minor = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(major)
        writer.writeLittleEndian(minor)
    }
}

struct Transmission: WireCodable, Equatable {
    var powerCode: UInt16
    var ticks: UInt16
    var interval: AdvertisingInterval { AdvertisingInterval(UInt32(ticks)) }

    init(parsing reader: inout ByteReader) throws(WireError) {
        powerCode = try reader.readLittleEndian()
        ticks = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(powerCode)
        writer.writeLittleEndian(ticks)
    }
}

struct BeaconClient {
    let beacon: DescribedService<BeaconService>

    init(_ central: Central) async throws(CentralError) {
        let peripheral = try await central.find(ScanOptions(services: [BeaconService.uuid]))
        beacon = try await peripheral.connect(to: BeaconService.self, retry: ConnectRetry(attempts: 3))
    }

    func describe() async throws(CentralError) -> String {
        let uuid = try await beacon.read(\.proximityUUID)
        let numbers = try await beacon.read(\.numbers)
        let interval = try await beacon.read(\.transmission).interval
        return "\(uuid) \(numbers.major)/\(numbers.minor), every \(interval)"
    }

    func setMajor(_ major: UInt16) async throws(CentralError) {
        var numbers = try await beacon.read(\.numbers)
        numbers.major = major
        try await beacon.writeAndVerify(numbers, to: \.numbers)
    }
}
