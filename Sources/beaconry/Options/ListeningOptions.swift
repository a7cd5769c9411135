// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import HCIRadio
import Radio
import Receiving
import Space

/// The options of all receiving commands.
struct ListeningOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption

    @Flag(help: "Wait for the radio until it is usable instead of failing.")
    var wait = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Where this receiver is on a virtual air, in metres: 3,0 or 3,0,1.5 (default: the position of its server or \
            of --receiver, else 1 m from every beacon).
            """,
            valueName: "x,y[,z]"),
        transform: ValueText.position)
    var position: Position?

    @OptionGroup var air: OwnAirOptions

    @OptionGroup var output: OutputOptions

    var waits: Bool { wait || EnvironmentVariable.wait.isSet }

    var format: OutputFormat { output.format }

    /// A use of the radio (see `Listening.init`), or of the air of `--profile`, which may begin virtual time.
    /// - Parameters:
    ///   - isPassive: whether it scans without scan requests; the limits of such scans are reported, too.
    ///   - phone: the phone that it receives like on the air of `--profile`; `nil` for that of the receiver.
    ///   - maximumTransmissionUnit: the ATT_MTU, if the radio's host is ours.
    func listening(
        duration: Duration? = nil, limits: Set<ReceivingCapabilities.Limit.Subject> = [], isPassive: Bool = false,
        as phone: PhoneModel? = nil, maximumTransmissionUnit: UInt16 = 517
    ) throws -> Listening {
        let own = try air.run(
            radio: radio, at: position, as: phone, maximumTransmissionUnit: maximumTransmissionUnit)
        if let own { return Listening(own.air, format: format, duration: duration, as: own.receiver) }
        var driver = try radio.driver(waits: waits)
        if var air = driver as? VirtualAirDriver {
            air.served = try VirtualAirOption.servedAir()
            driver = air
        }
        return Listening(
            driver.makeCentral(maximumTransmissionUnit: maximumTransmissionUnit), waits: waits, format: format,
            duration: duration, limits: isPassive ? limits.union([.passiveScanning, .patterns, .rssi]) : limits,
            scansActively: !isPassive, position: position)
    }
}

/// The option of commands that run until they are stopped.
struct DurationOption: ParsableArguments {
    @Option(help: "Stop after this time, such as 10s (default: run until Ctrl-C).", transform: ValueText.duration)
    var duration: Duration?

    /// The time limit; `nil` for none.
    func value() throws(Failure) -> Duration? {
        if let duration { return duration }
        return try EnvironmentVariable.duration.parsed(ValueText.duration)
    }
}
