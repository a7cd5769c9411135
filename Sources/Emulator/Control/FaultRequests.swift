// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
import Radio

// Faults of connections and of the radio; the faults of one beacon are changes of the beacon (`BeaconChange`).
extension Emulator {
    /// Ends connections of a beacon, or of a host on the virtual air.
    /// - Parameter peer: The address of the other end, or its name on the virtual air; `nil` for all connections.
    /// - Returns: The addresses of the other ends, at least one.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.unknownPeer` if there is no such connection, or `.radio` if the radio
    ///   cannot give this reason.
    package func disconnect(
        _ name: String, from peer: String?, _ reason: DisconnectionReason
    ) async throws(EmulatorError) -> [String] {
        await directory.handover(of: BeaconIdentifier(name))?.value
        let ended: [String]
        if let radio = faultInjectingRadio {
            // Two connections of a central have names with a number.
            let address = peer?.split(separator: "#").first.map { String($0) }
            if let found = await radio.endConnections(of: name, with: address, reason) {
                ended = found
            } else if directory.beacon(BeaconIdentifier(name)) != nil {
                ended = []
            } else {
                throw AirControl.unknown(name)
            }
        } else {
            let connected = centrals(of: try await running(name).identifier)
            ended = connected.filter { peer == nil || $0 == peer || $0.lowercased() == peer?.lowercased() }
            for central in ended { try await disconnect(central: central, reason) }
        }
        guard ended.isEmpty else { return ended }
        throw EmulatorError(
            .unknownPeer, "\(name) has no connection" + (peer.map { " with \($0)" } ?? ""),
            hint: "beaconry ctl show \(name) lists its centrals")
    }

    private func disconnect(central: String, _ reason: DisconnectionReason) async throws(EmulatorError) {
        if let radio = radio as? any ReasonedDisconnectionRadio {
            do throws(RadioError) {
                try await radio.disconnect(central: central, reason: reason)
            } catch {
                throw EmulatorError(error)
            }
        } else if reason == .remoteUser {
            await radio.disconnect(central: central)
        } else {
            throw EmulatorError(
                RadioError(
                    .unsupported, "\(radio.name) ends connections with the reason remote-user only",
                    hint: "leave out --reason, or run on the virtual air (--radio virtual)"))
        }
    }

    /// Lets the next connections to a beacon fail, which advertises meanwhile, instead of those that were set to fail before.
    /// - Throws: `EmulatorError` `.unknownBeacon`; `.radio` if the radio has no emulated air.
    package func setFault(_ fault: ConnectionFault, of name: String) async throws(EmulatorError) {
        let radio = try requireFaultInjection("let connections fail on purpose")
        let identifier = try await running(name).identifier
        await radio.setFault(fault, identifier)
        events.post(.beacon(identifier, .connectionsFailing(fault)))
    }

    /// The number of connections to a beacon that will fail.
    /// - Throws: as `setFault`.
    package func failingConnections(to name: String) async throws(EmulatorError) -> Int {
        let radio = try requireFaultInjection("let connections fail on purpose")
        return await radio.failingConnections(to: try await running(name).identifier)
    }

    /// Removes the radio, or brings it back.
    /// - Throws: `EmulatorError` `.radio` if the radio has no emulated air.
    package func setRadio(_ power: RadioPower) async throws(EmulatorError) {
        await (try requireFaultInjection("be switched off here")).setPowered(power == .on)
        // The radio reports it in an event: a request after this one must have the new state.
        while progress.phase == .up, roster.isRadioUp != (power == .on) { await progress.untilRadioChanges() }
    }

    var faultInjectingRadio: (any FaultInjectingRadio)? { radio as? any FaultInjectingRadio }

    /// - Parameter action: The verb phrase of the message.
    func requireFaultInjection(_ action: String) throws(EmulatorError) -> any FaultInjectingRadio {
        if let radio = faultInjectingRadio { return radio }
        throw EmulatorError(
            RadioError(
                .unsupported, "\(radio.name) cannot \(action)", hint: "run on the virtual air (--radio virtual)"))
    }
}
