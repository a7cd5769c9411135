// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTools
import Bluetooth
import Devices
import Profiles
import TestSupport

extension FuzzTarget {
    /// Lists of beacons in files of spreadsheets and scripts: a valid profile, or a fault with its position.
    static let beaconList = FuzzTarget(name: "beacon-list", divisor: 10) { generator in
        switch Int.random(in: 0...9, using: &generator) {
        case 0: return Mutation.noise(256, &generator)
        case 1:
            let text = String(decoding: Mutation.damaged(samples, &generator), as: UTF8.self)
            return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case 2, 3: return composed(&generator)
        default: return Mutation.damaged(samples, &generator)
        }
    } parse: { bytes in
        var options = ListImport.Options()
        if bytes.count.isMultiple(of: 3) { options.unit = .cm }
        if bytes.count.isMultiple(of: 5) { try? options.choices.add("minor=2,label=Name") }
        do throws(ListFault) {
            var list = try ListImport(bytes, options, newUUID: "00000000-0000-4000-8000-000000000001")
            let files = try list.profile(name: "fuzz", file: "fuzz.yaml", remarks: ["a list"])
            guard !files.isEmpty, list.remarks.allSatisfy({ !$0.message.isEmpty && $0.line >= 0 && $0.column >= 0 })
            else {
                FuzzReport.fail("a remark without a message: \(Hexadecimal.string(bytes))")
            }
            let sources = ProfileSources { name throws(ValueFault) in
                guard let file = files.first(where: { $0.name == name }) else { throw ValueFault("no file \(name)") }
                return file.text
            }
            let profile = try? Profile(parsing: files[0].text, file: "fuzz.yaml", sources: sources)
            guard let profile, !profile.beacons.isEmpty, profile.cutTexts.isEmpty else {
                FuzzReport.fail("a list that makes no profile: \(Hexadecimal.string(bytes))")
            }
            return .parsed
        } catch {
            guard !error.message.isEmpty, error.line >= 0, error.column >= 0 else {
                FuzzReport.fail("a fault without a message: \(Hexadecimal.string(bytes))")
            }
            return .refused
        }
    }

    private static let uuid = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"
    private static let samples = [
        "label,uuid,major,minor,x,y,z\nHall,\(uuid),1,1,0,2.5,1\n\"Two\nlines\",{\(uuid)},1,2,\"1,5\",2 m,#N/A\n",
        "sep=;\nNr.;Titel;Minor;X (cm);Y (cm);Intervall (ms);Tx Power\n1;Stele #4;0x10;1,5;1.234,5;100;-12 dBm\n2;Höhe;17;;;1 s;0\n",
        "id|namespace|instance|measured power\na|8b0ca750e7a7f6e3b0c2|1|-59\nb|8b0ca750e7a7f6e3b0c2|2|197\n",
        "format\tid1\tid2\tid3\turl\ttemperature\naltbeacon\t\(uuid)\t1\t2\t\t\neddystone-url\t\t\t\thttps://example.com/a\t\nruuvi-5\t\t\t\t\t21.5\n",
        "Name,Minor,Latitude,Longitude\na,1,48.1374,11.5755\nb,2,48.1375,11.5756\n",
        #"{"site":"s","beacons":[{"name":"a","uuid":"\#(uuid)","major":1,"minor":2,"position":{"x":1,"y":2}},{"name":"b","minor":3}]}"#,
        #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.1,2]},"properties":{"minor":1}}]}"#,
        "{\"name\":\"a\",\"minor\":1}\n{\"name\":\"b\",\"minor\":2}\n", #"[["label","minor"],["a",1],["b",2]]"#,
        #"{"a":{"minor":1},"b":{"minor":2}}"#,
        "minor,label\r1,Gr\u{F6}\u{DF}e\r2,b\r",
    ].map { Array($0.utf8) }

    /// A list of names of columns and values, by chance.
    private static func composed(_ generator: inout SplitMix64) -> [UInt8] {
        let names = [
            "minor", "Major", "uuid", "label", "x (ft)", "y_cm", "Höhe", "format", "interval", "id", "#", "lat", "lon",
            "position", "url", "measured power",
        ]
        let values = [
            "", "1", "65535", "0x1F", "1,5", "1.234,5", "-59 dBm", uuid, "{\(uuid)}", "#REF!", "Stele #4", "\"a;b\"",
            "\"", "100 ms", "2.5, 4", "ibeacon", "eddystone-uid",
            "01.02.2026", "${x}", "é🗿", "1e3", "48.1", "https://example.com/a", "8'6\"", "\u{0}", "a\u{1}", "-",
        ]
        let separator = [",", ";", "\t", "|"].randomElement(using: &generator) ?? ","
        let columns = Int.random(in: 1...6, using: &generator)
        var text = (0..<columns).map { _ in names.randomElement(using: &generator) ?? "" }.joined(separator: separator)
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let count = max(0, columns + Int.random(in: -1...1, using: &generator))
            text +=
                "\n"
                + (0..<count).map { _ in values.randomElement(using: &generator) ?? "" }.joined(separator: separator)
        }
        return Array(text.utf8)
    }
}
