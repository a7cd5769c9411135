// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// A track as GeoJSON (RFC 7946): LineStrings whose properties have `coordTimes`, and Points whose properties have `time`.
///
/// Features without times are ignored. JSON is YAML, so that the reader of profiles reads it, and faults have their lines.
enum GeoJSONTrack {
    /// The positions in the order of the file.
    static func fixes(in text: String) throws(ValueFault) -> [MapFix] {
        let root = try root(of: text)
        let features: [ProfileNode]
        switch root.mapping?["type"]?.text {
        case "FeatureCollection":
            guard let list = root.mapping?["features"]?.sequence else {
                throw ValueFault("line \(root.place.line): the FeatureCollection has no features")
            }
            features = list
        case "Feature": features = [root]
        default: throw ValueFault("line \(root.place.line): a GeoJSON file is a FeatureCollection or a Feature")
        }
        var fixes: [MapFix] = []
        for feature in features {
            guard let geometry = feature.mapping?["geometry"]?.mapping,
                let properties = feature.mapping?["properties"]?.mapping, let coordinates = geometry["coordinates"]
            else { continue }
            switch geometry["type"]?.text {
            case "LineString":
                guard let times = properties["coordTimes"] else { continue }
                guard let list = times.sequence, let places = coordinates.sequence, list.count == places.count else {
                    throw ValueFault("line \(times.place.line): coordTimes is not one time for each position")
                }
                for (place, time) in zip(places, list) { fixes.append(try fix(place, at: time)) }
            case "Point":
                guard let time = properties["time"] else { continue }
                fixes.append(try fix(coordinates, at: time))
            default: continue
            }
        }
        return fixes
    }

    private static func root(of text: String) throws(ValueFault) -> ProfileNode {
        do throws(ProfileFaults) {
            return try YAMLText(text, file: "").root(of: "a GeoJSON file", example: "docs/profiles.md")
        } catch {
            guard let fault = error.faults.first else { throw ValueFault("it is not JSON") }
            let message = fault.message.replacing("this is not YAML", with: "this is not JSON")
            throw ValueFault(fault.line > 0 ? "line \(fault.line): \(message)" : message)
        }
    }

    /// A position, `[longitude, latitude]` or `[longitude, latitude, elevation]`, and its time.
    private static func fix(_ place: ProfileNode, at time: ProfileNode) throws(ValueFault) -> MapFix {
        do throws(ValueFault) {
            guard let parts = place.sequence, 2...3 ~= parts.count, let longitude = parts[0].text,
                let latitude = parts[1].text
            else { throw ValueFault("a position is [longitude, latitude] or [longitude, latitude, elevation]") }
            let elevation = parts.count == 3 ? parts[2].text : nil
            return MapFix(
                latitude: try MapText.latitude(latitude), longitude: try MapText.longitude(longitude),
                elevation: try elevation.map(MapText.elevation), time: try MapText.time(time.text ?? ""),
                line: place.place.line)
        } catch {
            throw ValueFault("line \(place.place.line): \(error.message)")
        }
    }
}
