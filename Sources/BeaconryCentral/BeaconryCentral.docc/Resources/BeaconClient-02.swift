import BeaconryCentral

struct BeaconService: ServiceDescription {
    static let base: BaseUUID = "2173E519-9155-4862-AB64-7953AB146156"
    static let uuid = base.adding(0)

    let proximityUUID = CharacteristicDescription(base.adding(1), .uuidInTextOrder)
    let numbers = CharacteristicDescription(base.adding(2), ValueCodec<Numbers>.wire)
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
