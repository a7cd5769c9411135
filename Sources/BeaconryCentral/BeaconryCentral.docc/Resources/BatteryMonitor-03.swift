import BeaconryCentral

struct Battery: ServiceDescription {
    static let uuid = BluetoothUUID.bit16(0x180F)
    let level = CharacteristicDescription(.bit16(0x2A19), .percentage)
}

struct Maker: ServiceDescription {
    static let uuid = BluetoothUUID.bit16(0x180A)
    let name = CharacteristicDescription(.bit16(0x2A29), .text)
}

struct BatteryMonitor {
    let battery: DescribedService<Battery>
    let maker: String

    init(_ sensor: Peripheral) async throws(CentralError) {
        sensor.watchdogInterval = .seconds(60)
        battery = try await sensor.connect(to: Battery.self)
        maker = try await sensor.discover(Maker.self).read(\.name)
    }
}
