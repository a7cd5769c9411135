// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The attribute server of one connection (Core 5.4, Vol 3, Part F and G).
///
/// It answers at once for what it knows, and asks the owner of the services for the values of their characteristics.
/// What the client sends meanwhile waits, within limits.
package struct ATTServer: Sendable {
    /// What a server takes.
    package struct Limits: Hashable, Sendable {
        /// The longest PDU, in octets: 23 to 65,535.
        package var mtu: UInt16
        /// The octets of all requests to prepare a write together.
        package var preparedOctets: Int
        /// PDUs that wait until the owner has answered for those before them.
        package var waitingPDUs: Int
        /// Indications that wait until those before them are confirmed.
        package var waitingIndications: Int

        /// The limits; the defaults are enough for any client that keeps to the protocol.
        package init(
            mtu: UInt16 = 517, preparedOctets: Int = 4096, waitingPDUs: Int = 64, waitingIndications: Int = 64
        ) {
            self.mtu = mtu
            self.preparedOctets = preparedOctets
            self.waitingPDUs = waitingPDUs
            self.waitingIndications = waitingIndications
        }
    }

    /// The table that is served.
    package internal(set) var database: AttributeDatabase
    /// What the link offers.
    package var security = LinkSecurity.open
    /// The characteristics that are broadcast, by the handles of their values.
    package var broadcasts: Set<AttributeHandle> = []
    /// What is known of the client; worth keeping when it is bonded.
    package internal(set) var client: ATTClientState
    /// The longest PDU that may be sent now, in octets.
    package internal(set) var mtu = ATTBearer.minimumMTU

    let limits: Limits
    /// What the client wanted in an earlier connection and has not asked for in this one.
    var restored: Set<AttributeHandle> = []
    /// Whether the client knows the table as it is.
    var awareness: ChangeAwareness
    /// What goes on when the owner has answered.
    var transaction: (token: ATTToken, state: ServerTransaction)?
    /// PDUs that came while the owner was asked.
    var waiting: [[UInt8]] = []
    var prepared: PreparedWriteQueue
    var indications: IndicationQueue
    var isClosed = false
    private var lastToken: UInt64 = 0

    /// The server of a new connection.
    package init(database: AttributeDatabase, client: ATTClientState = ATTClientState(), limits: Limits = Limits()) {
        self.database = database
        self.client = client
        self.limits = limits
        awareness = client.databaseHash.map { $0 == database.hash } ?? true ? .aware : .unaware
        prepared = PreparedWriteQueue(capacity: limits.preparedOctets)
        indications = IndicationQueue(capacity: limits.waitingIndications)
        if awareness == .aware { self.client.databaseHash = database.hash }
        self.client.configurations = client.configurations.filter { database.isConfigurable($0.key) }
    }

    /// When `advance(to:)` has something to do.
    package var nextDeadline: Duration? { isClosed ? nil : indications.deadline }

    /// Takes the time.
    package mutating func advance(to now: Duration) -> [ATTServerOutput] {
        guard !isClosed, let deadline = indications.deadline, now >= deadline else { return [] }
        close()
        return indications.removeAll().map { .indicationEnded($0, isConfirmed: false) } + [.failed]
    }

    /// Nothing can be sent any more.
    mutating func close() {
        isClosed = true
        transaction = nil
        waiting = []
    }

    /// Takes over what the client of the same bearer agreed on.
    mutating func setMTU(_ mtu: Int) { self.mtu = mtu }

    mutating func makeToken() -> ATTToken {
        lastToken += 1
        return ATTToken(lastToken)
    }
}

/// What a server was doing when it had to ask the owner.
enum ServerTransaction: Sendable {
    case reading(ValueCollection)
    case writing(WriteSequence)

    /// The request that is answered at its end.
    var request: ATTOpcode {
        switch self {
        case .reading(let collection): collection.request
        case .writing(let sequence): sequence.origin.opcode
        }
    }

    /// The attributes that are still to be read or written, beginning with the one that the owner was asked for.
    var handles: [AttributeHandle] {
        switch self {
        case .reading(let collection): collection.remaining.map(\.handle)
        case .writing(let sequence): sequence.writes.map(\.handle)
        }
    }
}

extension AttributeDatabase {
    /// Whether clients can configure the characteristic whose value this handle has.
    func isConfigurable(_ valueHandle: AttributeHandle) -> Bool { clientConfiguration(of: valueHandle) != nil }

    /// The Client Characteristic Configuration descriptor of the characteristic whose value this handle has.
    func clientConfiguration(of valueHandle: AttributeHandle) -> Attribute? {
        // Descriptors follow their value.
        for attribute in self[valueHandle...AttributeHandle.last].dropFirst() {
            switch attribute.value {
            case .clientConfiguration(of: valueHandle, _): return attribute
            case .clientConfiguration, .owner: return nil
            default: continue
            }
        }
        return nil
    }
}
