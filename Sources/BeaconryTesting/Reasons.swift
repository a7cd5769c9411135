// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices

extension VirtualAirError {
    /// The phase in which a connection fails.
    /// - Throws: `VirtualAirError` for another name.
    static func phase(_ name: String) throws(VirtualAirError) -> ConnectionFault.Phase {
        do throws(ValueFault) {
            return try ValueText.choice(name, of: ConnectionFault.Phase.self)
        } catch {
            throw VirtualAirError(error.message)
        }
    }

    /// The reason of a disconnection.
    /// - Parameter name: as for `beaconry ctl disconnect`; `nil` for `remote-user`.
    /// - Throws: `VirtualAirError` for another name.
    static func reason(_ name: String?) throws(VirtualAirError) -> DisconnectionReason {
        guard let name else { return .remoteUser }
        do throws(ValueFault) {
            return try ValueText.choice(name, of: DisconnectionReason.self)
        } catch {
            throw VirtualAirError(error.message)
        }
    }
}
