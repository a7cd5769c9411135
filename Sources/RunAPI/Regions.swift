// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
package import Emulator
package import JSON
import Profiles
import Receiving

package struct FollowMonitoring: Operation {
    package static let name = "monitoring"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/monitoring"
    package static let sentence =
        "The regions of a listening receiver as server-sent events: first the state of each, then each change."
    package static let fields: [Field<FollowMonitoring>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(await (try await run.emulator.listener(receiver.text)).monitoring())
    }
}

package struct ListRegions: Operation {
    package static let name = "listRegions"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/regions"
    package static let sentence =
        "The regions of a listening receiver with their states, in the order in which they were added."
    package static let fields: [Field<ListRegions>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<MonitoredRegion> {
        Listed(await (try await run.emulator.listener(receiver.text)).regions)
    }
}

package struct PutRegion: Operation {
    package static let name = "putRegion"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/regions/{region}"
    package static let sentence =
        "Has a listening receiver monitor a region, instead of one of the same name, until it is removed."
    package static let fields: [Field<PutRegion>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("region", .path, \.region, "the name of the region, 1 to 255 bytes"),
        .optional("uuid", .member, \.uuid, "the proximity UUID of its beacons, or id1 of AltBeacons"),
        .optional("major", .member, \.major, "their major number, or id2; without it, any"),
        .optional("minor", .member, \.minor, "their minor number, or id3; without it, any"),
        .optional(
            "namespace", .member, \.namespace,
            "the namespace of its Eddystone-UIDs, 20 hexadecimal digits, instead of a UUID"),
        .optional("instance", .member, \.instance, "their instance, 12 hexadecimal digits; without it, any"),
        .optional(
            "exit-after", .member, \.exitAfter,
            "the time without a packet after which the region is left; without it, the time of the phone"),
        .optional(
            "notify-on-display", .member, \.notifiesOnDisplay,
            "whether the state is reported again when the screen comes on inside the region; without it, false"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict]

    package var receiver = AirName()
    package var region = RegionName()
    package var uuid: UUID128?
    package var major: UInt16?
    package var minor: UInt16?
    package var namespace: String?
    package var instance: String?
    package var exitAfter: Duration?
    package var notifiesOnDisplay: Bool?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<MonitoredRegion> {
        let listener = try await run.emulator.listener(receiver.text)
        var region = BeaconRegion(identifier: region.text, try identifiers())
        region.notifiesOnDisplay = notifiesOnDisplay ?? false
        let put = try await listener.monitor(region, exitAfter: exitAfter)
        return Stored(put.record, isNew: put.isNew)
    }

    private func identifiers() throws(EmulatorError) -> BeaconRegion.Identifiers {
        do throws(ValueFault) {
            return try BeaconRegion.Identifiers(
                uuid: uuid, major: major, minor: minor, namespace: try namespace.map(ValueText.namespace),
                instance: try instance.map(ValueText.instance))
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
    }
}

package struct RemoveRegion: Operation {
    package static let name = "removeRegion"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/regions/{region}"
    package static let sentence = "Ends the monitoring of a region, without an event."
    package static let fields: [Field<RemoveRegion>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("region", .path, \.region, "the name of the region"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()
    package var region = RegionName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await (try await run.emulator.listener(receiver.text)).removeRegion(region.text)
        return Nothing()
    }
}

extension MonitoredRegion: ListedRecord, ReadableRecord {
    package static let plural = "regions"
    package static let schema = Schema.record(
        "Region",
        [
            .version, .required("identifier", .text, "the name"),
        ] + IdentifierRecord.ofRegion + [
            .required("state", .choice(RegionState.self), "whether the receiver is inside"),
            .optional(
                "notify-on-display", .boolean,
                "whether the state is reported again when the screen comes on inside; absent: false"),
        ])
}
