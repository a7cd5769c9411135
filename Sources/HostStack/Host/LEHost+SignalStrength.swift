// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension LEHost {
    /// Asks how strongly a connection's peer is heard; `.signalStrength` tells it, unless the connection ends before.
    package mutating func readSignalStrength(of connection: ConnectionIdentifier) {
        guard let index = index(of: connection) else { return }
        send(ReadRSSI(connectionHandle: connections[index].handle), then: .connection(connection, .signalStrength))
        flush()
    }

    /// Tells the strength that the controller gave.
    mutating func finishSignalStrength(of connection: ConnectionIdentifier, _ reply: CommandReply) {
        if let returned = reply.value(of: ReadRSSI.self) {
            emit(.signalStrength(connection, .success(returned.rssi)))
        } else {
            emit(.signalStrength(connection, .failure(reply.failure ?? .unreadable(reply.opcode))))
        }
    }
}
