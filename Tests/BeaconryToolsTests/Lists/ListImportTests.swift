// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Space
import Testing

@testable import BeaconryTools

/// Lists as profiles.
struct ListImportTests {
    private static let uuid = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"

    private static func read(
        _ text: String, columns: String? = nil, unit: ListLengthUnit? = nil, anchor: MapAnchor? = nil
    ) throws -> ListImport {
        var options = ListImport.Options()
        if let columns { try options.choices.add(columns) }
        options.unit = unit
        options.anchor = anchor
        return try ListImport(Array(text.utf8), options, newUUID: "00000000-0000-4000-8000-000000000001")
    }

    /// The profile of a list, parsed.
    private static func profile(_ list: inout ListImport) throws -> Profile {
        let files = try list.profile(name: "test", file: "test.yaml", remarks: ["a list"])
        let sources = ProfileSources { name throws(ValueFault) in
            guard let file = files.first(where: { $0.name == name }) else { throw ValueFault("none") }
            return file.text
        }
        return try Profile(parsing: files[0].text, file: "test.yaml", sources: sources)
    }

    private static func minors(_ profile: Profile) -> [UInt16?] { profile.beacons.map { $0.device.frame?.minor } }

    @Test func eachFormOfAListBecomesTheSameProfile() throws {
        let lists = [
            "label,uuid,major,minor,x,y\nHall,\(Self.uuid),1,2,1.5,2\nDoor,\(Self.uuid),1,3,0,4\n",
            "Name;UUID;Major;Minor;X;Y\r\nHall;{\(Self.uuid)};1;2;1,5;2\r\nDoor;{\(Self.uuid)};1;3;0;4\r\n",
            "sep=|\nMinor|Titel|x_cm|y_cm|Proximity UUID|Major\n2|Hall|150|200|\(Self.uuid)|1\n3|Door|0|400|\(Self.uuid)|1\n",
            "A list\t\t\n\n\ty (m)\tx (m)\tmajor id\tminor id\tguid\ttitle\n\t2\t1.5\t1\t2\t\(Self.uuid)\tHall\n\t4\t0\t1\t3\t\(Self.uuid)\tDoor\n",
            #"[{"label":"Hall","uuid":"\#(Self.uuid)","major":1,"minor":2,"x":1.5,"y":2},{"label":"Door","uuid":"\#(Self.uuid)","major":1,"minor":3,"x":0,"y":4}]"#,
            #"{"site":"s","data":{"beacons":[{"name":"Hall","ibeacon":{"uuid":"\#(Self.uuid)","major":1,"minor":2},"position":[1.5,2]},{"name":"Door","ibeacon":{"uuid":"\#(Self.uuid)","major":1,"minor":3},"position":[0,4]}]}}"#,
            #"{"uuid":"\#(Self.uuid)","zones":[{"name":"a","major":1,"beacons":[{"name":"Hall","minor":2,"x":1.5,"y":2}]},{"name":"b","major":1,"beacons":[{"name":"Door","minor":3,"x":0,"y":4}]}]}"#,
            "{\"name\":\"Hall\",\"uuid\":\"\(Self.uuid)\",\"major\":1,\"minor\":2,\"pos\":\"1.5, 2\"}\n\n{\"name\":\"Door\",\"uuid\":\"\(Self.uuid)\",\"major\":1,\"minor\":3,\"pos\":\"0, 4\"}\n",
            #"[["label","uuid","major","minor","x","y"],["Hall","\#(Self.uuid)",1,2,1.5,2],["Door","\#(Self.uuid)",1,3,0,4]]"#,
            #"{"first":{"label":"Hall","uuid":"\#(Self.uuid)","major":1,"minor":2,"x":1.5,"y":2},"second":{"label":"Door","uuid":"\#(Self.uuid)","major":1,"minor":3,"x":0,"y":4}}"#,
        ]
        for (index, text) in lists.enumerated() {
            var list = try Self.read(text)
            let profile = try Self.profile(&list)
            #expect(
                profile.beacons.map { $0.device.frame?.uuid } == [UUID128(Self.uuid), UUID128(Self.uuid)], "\(index)")
            #expect(profile.beacons.map { $0.device.frame?.major } == [1, 1], "\(index)")
            #expect(Self.minors(profile) == [2, 3], "\(index)")
            #expect(
                profile.beacons.map { $0.position?.x } == [1.5, 0] && profile.beacons.map { $0.position?.y } == [2, 4],
                "\(index)")
            #expect(list.plan.beacons.map(\.label) == ["Hall", "Door"], "\(index)")
            let ids = index == 9 ? ["first", "second"] : ["hall", "door"]
            #expect(profile.beacons.map(\.id) == ids, "\(index)")
            #expect(list.remarks.isEmpty, "\(index): \(list.remarks)")
        }
    }

    @Test func geographicCoordinatesBecomeMetres() throws {
        func feature(_ name: String, _ coordinates: String) -> String {
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(coordinates)]},"properties":{"name":"\#(name)","minor":"\#(name)"}}"#
        }
        let text =
            #"{"type":"FeatureCollection","features":[\#(feature("1", "11.5755,48.1374,2.5")),\#(feature("2", "11.5765,48.1384"))]}"#
        var list = try Self.read(text)
        var profile = try Self.profile(&list)
        #expect(
            profile.beacons[0].position?.x == 0 && profile.beacons[0].position?.y == 0
                && profile.beacons[0].position?.z == 2.5)
        // A thousandth of a degree: 74.4 m to the east at this latitude, and 111.2 m to the north.
        let position = try #require(profile.beacons[1].position)
        #expect(abs(position.x - 74.4) < 0.1 && abs(position.y - 111.2) < 0.1)
        guard case .globe(let anchor) = list.plan.origin else { throw ListFault("no origin") }
        #expect(anchor.latitude == 48.1374 && anchor.longitude == 11.5755)
        list = try Self.read(text, anchor: MapAnchor(latitude: 48.1384, longitude: 11.5765))
        profile = try Self.profile(&list)
        #expect(profile.beacons[1].position?.x == 0 && (profile.beacons[0].position?.x ?? 0) < -74)
        // With a unit they are positions.
        list = try Self.read(text, unit: .m)
        profile = try Self.profile(&list)
        #expect(profile.beacons[0].position?.x == 11.576)
        // One place far away has no position, and does not move the origin.
        list = try Self.read("minor,lat,lon\n1,48.1374,11.5755\n2,48.1384,11.5765\n3,0,0\n")
        profile = try Self.profile(&list)
        #expect(profile.beacons.map { $0.position != nil } == [true, true, false])
        #expect(list.remarks.map(\.code) == ["value-not-taken"] && list.remarks[0].line == 4)
    }

    @Test func coordinatesOfACountryAreShifted() throws {
        var list = try Self.read("minor,x,y\n1,691000.5,5334000\n2,691010,5334020.25\n")
        let profile = try Self.profile(&list)
        #expect(
            profile.beacons.map { $0.position?.x } == [0.5, 10] && profile.beacons.map { $0.position?.y } == [0, 20.25])
    }

    @Test func formatsHaveTheirKeys() throws {
        var list = try Self.read(
            """
            format,id,uuid,major,minor,namespace,instance,url,measured power,temperature,tx power
            ibeacon,a,\(Self.uuid),1,2,,,,-60,,
            Eddystone UID,b,,,,8b0ca750e7a7f6e3b0c2,0123456789ab,,-60,,4
            eddystone-url,c,,,,,,https://example.com/a,,,
            altbeacon,d,\(Self.uuid),1,2,,,,-61,,
            ruuvi-5,e,,,,,,,,21.5,
            battery,f,,,,,,,,,
            iot-design-shop,g,\(Self.uuid),1,3,,,,,,-6
            """)
        let profile = try Self.profile(&list)
        #expect(list.remarks.isEmpty, "\(list.remarks)")
        #expect(
            profile.beacons.map(\.device.kind) == [
                "ibeacon", "beacon", "beacon", "beacon", "beacon", "battery", "iot-design-shop",
            ])
        #expect(
            profile.beacons[0].device.measuredPower == MeasuredPower(-60)
                && profile.beacons[1].device.measuredPower == MeasuredPower(-60))
        #expect(profile.beacons[3].device.measuredPower == MeasuredPower(-61))
        #expect(profile.beacons[1].device.advertising.transmitPower == TransmitPower(4))
    }

    /// A row with the identities of several formats is a beacon for each.
    @Test func rowWithSeveralFormatsIsSeveralBeacons() throws {
        var list = try Self.read(
            "name,uuid,major,minor,namespace,instance\nHall,\(Self.uuid),1,2,8b0ca750e7a7f6e3b0c2,0123456789ab\nDoor,,,,8b0ca750e7a7f6e3b0c2,0123456789ac\n"
        )
        let profile = try Self.profile(&list)
        #expect(profile.beacons.map(\.id) == ["hall", "hall-eddystone-uid", "door"])
        #expect(list.remarks.isEmpty, "\(list.remarks)")
    }

    /// A web address beside an identity is one of a page, unless its name says more.
    @Test func webAddressesAreTakenWhereTheyAreIdentities() throws {
        #expect(try Self.read("name,url\na,https://example.com/a\n").plan.beacons.first?.format == "eddystone-url")
        let beside = try Self.read("minor,url\n1,https://example.com/a\n")
        #expect(beside.plan.beacons.map(\.format) == [nil] && beside.plan.columns.left.map(\.name) == ["url"])
        #expect(try Self.read("minor,url\n1,https://example.com/a\n", columns: "url=url").plan.beacons.count == 2)
    }

    // MARK: - What lists do not have

    @Test func namesAloneGetNumbersAndAUUID() throws {
        var list = try Self.read("Titel\nMona Lisa\nDer Schrei\nDer Schrei\n")
        let profile = try Self.profile(&list)
        #expect(Self.minors(profile) == [1, 2, 3] && profile.beacons[0].device.frame?.major == 1)
        #expect(profile.beacons.map(\.id) == ["mona-lisa", "der-schrei", "der-schrei-2"])
        #expect(list.plan.substitutes.map(\.key).prefix(3) == ["uuid", "major", "minor"])
    }

    @Test func numbersOfAListAreMinors() throws {
        var list = try Self.read("Nr.;Titel\n17;a\n4;b\n")
        #expect(Self.minors(try Self.profile(&list)) == [17, 4])
        #expect(list.plan.columns.taken.map(\.key.name) == ["number", "label"])
        list = try Self.read("Nr.;Titel\n17;a\n17;b\n")
        #expect(Self.minors(try Self.profile(&list)) == [1, 2])
        list = try Self.read("Nr;Titel\n17;a\n4;b\n", columns: "minor=Nr.")
        #expect(Self.minors(try Self.profile(&list)) == [17, 4])
    }

    @Test func oneUUIDIsThatOfAll() throws {
        var list = try Self.read("uuid,minor\n\(Self.uuid),1\n,2\n")
        #expect(
            try Self.profile(&list).beacons.map { $0.device.frame?.uuid } == [UUID128(Self.uuid), UUID128(Self.uuid)])
        #expect(list.remarks.map(\.code) == ["value-filled"])
        list = try Self.read("uuid,minor\n\(Self.uuid),1\n,2\n00000000-0000-4000-8000-000000000002,3\n")
        #expect(Self.minors(try Self.profile(&list)) == [1, 3])
        #expect(list.remarks.map(\.code) == ["row-not-taken"] && list.remarks[0].line == 3)
    }

    // MARK: - What is wrong in lists

    @Test(arguments: [
        ("minor,label\n#REF!,a\n2,b\n", 2, 1, "error of a formula"), ("minor,label\n01.02.2026,a\n2,b\n", 2, 1, "date"),
        ("minor,label\n65536,a\n2,b\n", 2, 1, "65535"), ("minor,label\n,a\n2,b\n", 2, 0, "minor is empty"),
        ("label,minor\na,\"1,5\"\nb,2\n", 2, 3, "whole number"),
        ("uuid,minor,label\n12,1,a\n\(uuid),2,b\n", 2, 1, "2 digits of 32"),
        ("minor,label\n1,a,b,c\n2,b\n", 2, 5, "4 values"),
        ("minor;label\n1;a;b\n2;b\n", 2, 5, "quotes"),
        ("format,id1,label\nfoo,,a\naltbeacon,\(uuid),b\n", 2, 1, "no device"),
        ("minor,label\n2,b\n\"x\n y\",c\n", 3, 1, "whole number"),
        ("minor,label\n2,b\n00A1,c\n70000,d\n", 3, 1, "write 0x00A1"),
    ])
    func rowThatIsNoBeaconIsNamed(_ text: String, _ line: Int, _ column: Int, _ reason: String) throws {
        var list = try Self.read(text)
        #expect(try Self.profile(&list).beacons.count == 1)
        let remark = try #require(list.remarks.first { $0.line == line })
        #expect(
            remark.code == "row-not-taken" && remark.column == column && remark.message.contains(reason), "\(remark)")
    }

    @Test(arguments: [
        ("minor,x,y\n1,#N/A,2\n", 2, 3, "error of a formula"), ("minor,x,y\n1,2,\n2,1,1\n", 2, 3, "x and y"),
        ("minor,x,y\n1,abc,2\n", 2, 3, "length"),
        ("minor,interval\n1,5\n", 2, 3, "no unit"), ("minor,measured power\n1,high\n", 2, 3, "dBm"),
        ("minor,label\n1,#NAME?\n", 2, 3, "error of a formula"),
        ("minor,label\n1,a\u{1}b\n", 2, 3, "control"),
        ("minor,mac\n1,C0:FF:EE:00:00:01\n2,AC:23:3F:00:00:01\n", 3, 3, "static random"),
        ("minor,x,y\n1,20000,2\n2,1,1\n3,1,1\n", 2, 0, "10000 m"), ("minor,interval\n1,20 s\n", 2, 3, "10240ms"),
        ("minor,position\n1,here\n2,\"1, 2\"\n", 2, 3, "position"),
    ])
    func valueThatIsNotTakenIsNamed(_ text: String, _ line: Int, _ column: Int, _ reason: String) throws {
        var list = try Self.read(text)
        #expect(try Self.profile(&list).beacons.count == list.plan.rows)
        let remark = try #require(list.remarks.first)
        #expect(
            remark.code == "value-not-taken" && remark.line == line && remark.column == column
                && remark.message.contains(reason), "\(remark)")
    }

    @Test func sameIdentityIsNamedWithBothLines() throws {
        var list = try Self.read("label,uuid,major,minor\na,\(Self.uuid),1,2\nb,\(Self.uuid),1,2\n")
        #expect(try Self.profile(&list).beacons.count == 2, "both are kept")
        let remark = try #require(list.remarks.first)
        #expect(remark.code == "duplicate-identity" && remark.line == 3 && remark.message.contains("line 2"))
    }

    @Test func idsAreUniqueAndValid() throws {
        var list = try Self.read("id,minor\nRaum 1,1\nRaum 1,2\nRaum-1-2,3\n,4\n12.0,5\n名前,6\n")
        let ids = try Self.profile(&list).beacons.map(\.id)
        #expect(ids == ["Raum-1", "Raum-1-2", "Raum-1-2-2", "beacon-4", "12", "beacon-6"])
        #expect(list.plan.beacons.map(\.label) == ["Raum 1", "Raum 1", nil, nil, nil, "名前"])
        #expect(Set(list.remarks.map(\.code)) == ["id-changed"] && list.remarks.count == 3)
    }

    @Test(arguments: [
        ("", 0, "empty"), (" \n ", 0, "empty"), ("minor,label\n", 0, "no rows"),
        ("a,b\n1,2\n", 1, "no column has a name"), ("[]", 0, "empty"), ("{}", 0, "empty"),
        ("[1,2]", 1, "no list of objects"), ("[{\"minor\":1,}]", 1, "not JSON"),
        ("[{\"minor\":1}\n,{\"minor\":\n2]", 3, "not JSON"), ("<html><table>", 1, "HTML"),
        ("profile: a\n", 1, "profile already"), ("minor,label\nx,a\n", 2, "no row is a beacon"),
        ("minor,label\n1,\"a\n", 2, "not closed"),
        ("{\"type\":\"FeatureCollection\",\"features\":[]}", 0, "empty"),
        (String(repeating: "[", count: 100), 1, "deeper"),
    ])
    func listWithoutBeaconsIsRefused(_ text: String, _ line: Int, _ message: String) throws {
        let fault = try #require(throws: ListFault.self) {
            var list = try Self.read(text)
            _ = try Self.profile(&list)
        }
        #expect(fault.line == line && fault.message.contains(message), "\(fault)")
    }

    @Test func columnThatIsNotThereIsRefused() throws {
        let fault = try #require(throws: ListFault.self) {
            try Self.read("Nummer,Titel\n1,a\n", columns: "minor=Numer")
        }
        #expect(fault.message.contains("did you mean \"Nummer\"?"), "\(fault.message)")
    }

    @Test func listWithoutAHeadingHasColumnsByNumber() throws {
        var list = try Self.read(
            "Hall,\(Self.uuid),1,7\nDoor,\(Self.uuid),1,8\n", columns: "label=1,uuid=2,major=3,minor=4")
        let profile = try Self.profile(&list)
        #expect(Self.minors(profile) == [7, 8] && profile.beacons.map(\.id) == ["hall", "door"])
    }

    /// A row with values is no heading, whatever its texts are.
    @Test func labelsThatAreNamesOfColumnsAreNoHeading() throws {
        let fault = try #require(throws: ListFault.self) {
            try Self.read("Hall,\(Self.uuid),1,7\nStation,\(Self.uuid),1,8\n")
        }
        #expect(fault.line == 1 && fault.message.contains("no column has a name"))
    }

    @Test func columnsWithoutANameAreNotTaken() throws {
        var list = try Self.read("minor;;label;\n1;x;a;\n2;;b;remark\n")
        #expect(Self.minors(try Self.profile(&list)) == [1, 2])
        #expect(list.plan.columns.left.map(\.name) == ["column 2", "column 4"] && list.remarks.isEmpty)
    }

    // MARK: - Texts

    /// Whatever a text is, the profile has it.
    @Test func textsAreQuoted() throws {
        let texts = [
            "Stele #4", "a: b", "yes", "null", "12", "1e3", "~", "'quoted'", "say \"hi\"", "back\\slash", "- dash",
            "{braces}", "[x]", "# first", "& * ! | > % @ `",
            "${HOME}", "$${x}", "名前", "🗿 Moai", "👨‍👩‍👧", "a\u{202E}b", "\u{A0}", "é", "trailing:", "*alias", "a, b",
        ]
        let rows = texts.enumerated().map { "\($0.offset + 1),\"\($0.element.replacing("\"", with: "\"\""))\"" }
        var list = try Self.read(
            "minor,label,local name\n"
                + rows.map { "\($0),\($0.split(separator: ",", maxSplits: 1)[1])" }.joined(separator: "\n"))
        let profile = try Self.profile(&list)
        let expected = texts.map { ListWords.trimmed(ListWords.oneLine($0)) }
        #expect(profile.beacons.map { $0.device.advertisedName ?? "" } == expected)
        #expect(list.plan.beacons.map { $0.label ?? "" } == expected)
        #expect(profile.cutTexts.isEmpty)
    }

    @Test func largeListsHaveSeveralFiles() throws {
        let rows = (1...100).map { "A rather long label of the exhibit with the number \($0),\($0),\($0 % 100).5,2" }
        let list = try Self.read("label,minor,x,y\n" + rows.joined(separator: "\n"))
        let profile = ListProfile(list.plan, name: "test", file: "test.yaml", remarks: ["a list"], limit: 6000)
        let parts = profile.files.count - 1
        #expect(parts > 1 && profile.files.map(\.name) == ["test.yaml"] + (1...parts).map { "test-beacons-\($0).yaml" })
        #expect(profile.files.allSatisfy { $0.text.utf8.count <= 6000 })
        let sources = ProfileSources { name throws(ValueFault) in
            profile.files.first { $0.name == name }?.text ?? ""
        }
        let read = try Profile(parsing: profile.files[0].text, file: "test.yaml", sources: sources)
        #expect(read.beacons.map { $0.device.frame?.minor } == (1...100).map { UInt16($0) })
        #expect(try profile.refusals().isEmpty)
    }

    /// What the parser of profiles refuses is left out: here a name that is too long for it.
    @Test func beaconThatProfilesRefuseIsLeftOut() throws {
        var list = try Self.read(
            "format,id,url\neddystone-url,a,https://example.com/a\neddystone-url,b,ftp://example.com\n")
        #expect(try Self.profile(&list).beacons.map(\.id) == ["a"])
        #expect(list.remarks.map(\.line) == [3] && list.remarks[0].code == "row-not-taken")
    }
}
