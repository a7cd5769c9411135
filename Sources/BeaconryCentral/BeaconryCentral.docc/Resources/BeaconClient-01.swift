import BeaconryCentral

struct BeaconService: ServiceDescription {
    static let base: BaseUUID = "2173E519-9155-4862-AB64-7953AB146156"
    static let uuid = base.adding(0)

    let proximityUUID = CharacteristicDescription(base.adding(1), .uuidInTextOrder)
}
