// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Space
import Synchronization

/// Where everything on an emulated air is at any time, for all threads.
///
/// The radio notes each join, move and leave here. Reading changes nothing on the air.
package final class AirPlaces: Sendable {
    private struct Member {
        var motion: Motion?
        let isBeacon: Bool
    }

    private struct State {
        var members: [String: Member] = [:]
        /// How the hosts move that will join a server, by its name.
        var servers: [String: Motion] = [:]
        var lostTime = 0.0
        var observer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let time: @Sendable () -> Double

    /// - Parameter time: the seconds since the air began, with the time that it has lost.
    package init(time: @escaping @Sendable () -> Double) { self.time = time }

    // MARK: - Reading

    /// The time on the air, in seconds since it began.
    package var seconds: Double {
        let time = time()
        return state.withLock { time - $0.lostTime }
    }

    /// How something on the air moves, or the hosts of a server; `nil` for what is not there, or has no position.
    package func motion(of name: String) -> Motion? {
        state.withLock { state in
            state.members[name]?.motion ?? state.members[name.besideHosts]?.motion ?? state.servers[name]
        }
    }

    /// Where something is at a time of the air in seconds; `nil` for what is not there, or has no position.
    package func position(of name: String, at seconds: Double) -> Position? {
        motion(of: name)?.position(atSeconds: seconds)
    }

    /// How the receivers move, by their names: everything with a position that is no beacon.
    package var receivers: [String: Motion] {
        state.withLock { state in
            var receivers = state.servers
            for (name, member) in state.members where !member.isBeacon && name.serverOfHosts == nil {
                receivers[name] = member.motion
            }
            for (name, member) in state.members {
                if let server = name.serverOfHosts, receivers[server] == nil { receivers[server] = member.motion }
            }
            return receivers
        }
    }

    /// How the beacons move that have a position, by their names.
    package var beacons: [String: Motion] {
        state.withLock { state in
            state.members.compactMapValues { $0.isBeacon ? $0.motion : nil }
        }
    }

    /// Sets the function that is called after each change of a receiver, instead of the former one; `nil` for none.
    package func observe(_ observer: (@Sendable () -> Void)?) { state.withLock { $0.observer = observer } }

    /// Calls the observer.
    package func notify() { state.withLock(\.observer)?() }

    // MARK: - Writing

    /// Notes what has joined the air.
    package func set(_ motion: Motion?, of name: String, isBeacon: Bool) {
        state.withLock { $0.members[name] = Member(motion: motion, isBeacon: isBeacon) }
        if !isBeacon { notify() }
    }

    /// Notes that something on the air moves in another way.
    package func setMotion(_ motion: Motion?, of name: String) {
        let isBeacon = state.withLock { state in
            state.members[name]?.motion = motion
            return state.members[name]?.isBeacon
        }
        if isBeacon == false { notify() }
    }

    /// Notes what has left the air.
    package func remove(_ name: String) {
        let removed = state.withLock { $0.members.removeValue(forKey: name) }
        if removed?.isBeacon == false { notify() }
    }

    /// Notes how the hosts of a server move; `nil` for no position, or the end of the server.
    package func setServer(_ name: String, _ motion: Motion?) {
        state.withLock { $0.servers[name] = motion }
        notify()
    }

    /// Notes the time that the air has lost, in seconds.
    package func setLostTime(_ seconds: Double) { state.withLock { $0.lostTime = seconds } }
}
