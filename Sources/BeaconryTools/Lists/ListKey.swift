// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices

/// What a column of a list has: a key of a beacon in a profile, or a part of one.
///
/// A row of the table is a key with the names that its column has, as small letters and digits without blanks and marks; the first ones
/// are preferred where several columns could be the key.
package struct ListKey: Hashable, Sendable {
    /// What its values are.
    enum Kind: Hashable, Sendable {
        case id, label, name, number, device
        /// Digits of the identity of a beacon: without them the row is none.
        case uuid, whole16
        case octets(Int)
        case power, duration, address
        case length, position, degrees
        case text
    }

    /// As in `--columns`.
    package let name: String
    let kind: Kind
    /// The names of columns, the best first.
    let columns: [String]
    /// Names that mean it only if a value of the column is one of the key: they mean other things as well.
    let uncertain: [String]

    private init(_ name: String, _ kind: Kind, _ columns: String, uncertain: String = "") {
        self.name = name
        self.kind = kind
        self.columns = columns.split(separator: " ").map { String($0) }
        self.uncertain = uncertain.split(separator: " ").map { String($0) }
    }

    /// A key of a format, as profiles have it.
    init(ofFormat name: String) { self.init(name, .text, ListWords.words(name).joined()) }

    static let id = ListKey(
        "id", .id,
        "id beaconid identifier uniqueid deviceid key slug code kennung identifiant identificador identificatore")
    /// A number of the list, of which ids are made.
    static let number = ListKey(
        "number", .number,
        "nr no num number nummer numero numer lfdnr laufendenummer pos inventarnummer inventorynumber invnr objektnummer "
            + "exponatnummer exhibitnumber objectnumber index n 编号 番号 序号 номер")
    static let label = ListKey(
        "label", .label,
        "label title titel titre titulo titolo tytul name beaconname displayname names namen nom nombre nome naam namn "
            + "navn nazwa jmeno nazev nev nimi isim "
            + "bezeichnung beschriftung benennung exhibit exponat exhibitname exponatname object objekt objekttitel artwork kunstwerk werk "
            + "obra oeuvre opera station room raum roomname raumname salle sala zimmer place ort standort "
            + "location 名称 名前 名稱 标题 标签 название имя наименование"
    )
    static let localName = ListKey(
        "name", .name,
        "localname advertisedname advertisingname bluetoothname blename btname gapname bluetoothlocalname")
    static let device = ListKey(
        "device", .device, "",
        uncertain:
            "device format beaconformat beacontype devicetype type typ kind art gerat geraet protocol protokoll frametype "
            + "frame advertisingformat advertisement packettype profile"
    )
    static let uuid = ListKey(
        "uuid", .uuid, "uuid proximityuuid proximityid proximity ibeaconuuid beaconuuid regionuuid guid uuid128",
        uncertain: "ibeacon ibeaconid identity identifiers")
    static let major = ListKey(
        "major", .whole16, "major majorid majornumber majorno majornr majorvalue majornummer maj majeur mayor")
    static let minor = ListKey(
        "minor", .whole16, "minor minorid minornumber minorno minornr minorvalue minornummer mineur menor")
    static let measuredPower = ListKey(
        "measured-power", .power,
        "measuredpower rssi1m rssiat1m 1mrssi rssi@1m txpower1m txpowerat1m powerat1m power1m calibratedpower calibratedtxpower "
            + "calibratedrssi calibrationpower calibration referencepower referencerssi refrssi refpower rssiref rssi0 msdpower measuredrssi "
            + "mpower signalpower kalibrierung kalibrierleistung messleistung referenzleistung puissancemesuree potenciamedida"
    )
    static let powerAt0m = ListKey(
        "power-at-0m", .power, "powerat0m power0m txpowerat0m txpower0m rssiat0m rssi0m rangingdata calibratedpowerat0m"
    )
    static let interval = ListKey(
        "interval", .duration,
        "interval advertisinginterval advinterval advint advertisementinterval advertiseinterval broadcastinginterval broadcastinterval "
            + "intervall sendeintervall werbeintervall intervalle intervalo intervallo", uncertain: "period periode")
    static let txPower = ListKey(
        "tx-power", .power,
        "txpower transmitpower transmissionpower transmittedpower broadcastingpower broadcastpower outputpower radiopower radiatedpower "
            + "sendeleistung puissanceemission potenciatransmision")
    static let address = ListKey(
        "address", .address,
        "mac macaddress bdaddr bdaddress bluetoothaddress deviceaddress btaddress blemac macadresse",
        uncertain: "address adresse adresa direccion indirizzo")
    static let x = ListKey(
        "x", .length,
        "x xpos posx positionx xposition coordx xcoord xcoordinate coordinatex xkoordinate koordinatex locationx xlocation "
            + "pointx posicionx mapx east easting rechtswert")
    static let y = ListKey(
        "y", .length,
        "y ypos posy positiony yposition coordy ycoord ycoordinate coordinatey ykoordinate koordinatey locationy ylocation "
            + "pointy posiciony mapy north northing hochwert")
    static let z = ListKey(
        "z", .length,
        "z zpos posz positionz zposition coordz zcoord zcoordinate coordinatez zkoordinate koordinatez locationz zlocation "
            + "pointz posicionz mapz height hohe hoehe mountingheight montagehohe montagehoehe installationheight altitude elevation elev "
            + "hauteur altura altezza hoogte hojd hoyde hojde wysokosc vyska korkeus 高さ 高度 высота")
    static let position = ListKey(
        "position", .position,
        "position coordinates coordinate coords coord koordinaten koordinate coordonnees coordenadas xy xyz",
        uncertain: "location pos point place standort")
    static let latitude = ListKey(
        "latitude", .degrees, "latitude lat breitengrad geographischebreite latitud latitudine")
    static let longitude = ListKey(
        "longitude", .degrees, "longitude lon lng langengrad laengengrad geographischelange longitud longitudine",
        uncertain: "long")
    static let namespace = ListKey(
        "namespace", .octets(10),
        "namespace namespaceid uidnamespace eddystonenamespace eddystoneuidnamespace eddystonenamespaceid nid")
    static let instance = ListKey(
        "instance", .octets(6),
        "instance instanceid uidinstance eddystoneinstance eddystoneuidinstance eddystoneinstanceid bid")
    static let url = ListKey("url", .text, "eddystoneurl eddystoneurlurl physicalweburl physicalweb url")
    static let id1 = ListKey("id1", .uuid, "id1 altbeaconid1")
    static let id2 = ListKey("id2", .whole16, "id2 altbeaconid2")
    static let id3 = ListKey("id3", .whole16, "id3 altbeaconid3")

    /// In the order of a profile.
    package static let all = [
        id, number, label, localName, device, uuid, major, minor, id1, id2, id3, namespace, instance, url,
        measuredPower, powerAt0m, interval,
        txPower, address, x, y, z, position, latitude, longitude,
    ]

    /// The key of a name as in `--columns`: one of these, or one of a format; `nil` for any other.
    package init?(named name: String) {
        if let key = Self.all.first(where: { $0.name == name }) {
            self = key
        } else if Self.formatKeys.contains(name) {
            self.init(ofFormat: name)
        } else {
            return nil
        }
    }

    /// The keys of all formats that can be sent.
    static let formatKeys: [String] = {
        var names: [String] = []
        for format in BeaconFormats.transmittable {
            for name in format.keyNames where !names.contains(name) { names.append(name) }
        }
        return names
    }()

    /// Why columns of these names are not taken: profiles have no such key, or the name could mean several.
    static let reasons: [String: String] = {
        let groups = [
            (
                "floor floors level etage stockwerk geschoss piso etagere planta verdieping floorid floorname",
                "profiles have no floors"
            ),
            ("power leistung puissance potencia potenza", "it may be measured-power or tx-power: --columns KEY=COLUMN"),
            ("rssi signal", "a receiver has it, not a beacon"),
            (
                "url link links website web webaddress weblink webseite",
                "for beacons of Eddystone-URL: --columns url=COLUMN"
            ),
        ]
        return Dictionary(
            uniqueKeysWithValues: groups.flatMap { names, reason in
                names.split(separator: " ").map { (String($0), reason) }
            })
    }()
}

extension TransmittableBeacon {
    /// The names of its keys.
    static var keyNames: [String] { keys.map(\.name) }
}
