// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import Radio

extension Peripheral {
    /// How long a pairing may take unless said otherwise: 60 s, since people must read and type.
    public static let pairingTimeout = Duration.seconds(60)

    /// Encrypts the connection: with the keys of a bond where there is one that is good enough, else by pairing.
    ///
    /// Call it when a device refuses something with `ATTError.insufficientAuthentication` or
    /// `.insufficientEncryption`, and then try that again. How the two pair follows from what both can show and be told
    /// (Core 5.4, Vol 3, Part H, table 2.8). The keys last as long as the `Central`, unless `Central.keepBonds` says more.
    /// - Parameters:
    ///   - settings: what this side has for its user, and what it insists on.
    ///   - answer: is asked what the user must answer, and told what the user must see; without it, only what `settings`
    ///     answer is answered.
    /// - Throws: `CentralError`, with `.notPaired` when the two did not pair.
    @discardableResult
    public func pair(
        _ settings: PairingSettings = PairingSettings(), timeout: Duration = pairingTimeout,
        answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer = { _ in .cancel }
    ) async throws(CentralError) -> LinkProtection {
        let operation = "pair with \(address)"
        let connection = try connection(for: operation)
        // What was begun before may wait for the pairing.
        return try await connection.perform(operation, timeout: timeout, isInTurn: false) { link throws(RemoteError) in
            guard let link = link as? any PairingLink else { throw .notPaired(PairingError(.unsupported)) }
            do throws(PairingError) {
                return try await link.pair(settings, answer: answer)
            } catch {
                throw .notPaired(error)
            }
        }
    }

    /// Forgets the keys that were made with the device, where the radio has them. The device still has its own.
    public func forgetBond() async { await (radio as? any BondingCentralRadio)?.forgetBond(with: address) }
}
