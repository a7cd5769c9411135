import BeaconryCentral

struct Battery: ServiceDescription {
    static let uuid = BluetoothUUID.bit16(0x180F)
    let level = CharacteristicDescription(.bit16(0x2A19), .percentage)
}
