// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// How a central answers devices that request encryption (SMP Security Request; Core 5.4, Vol 3, Part H, 2.4.6).
///
/// A link to a bonded device is encrypted with the keys of the bond. With other devices the central pairs as `settings`
/// says, or refuses with Pairing Failed (0x05, pairing not supported). Many devices answer no other request until then.
public struct SecurityRequestHandler: Sendable {
    /// How to pair with a device; `nil` refuses.
    public let settings: @Sendable (RemoteAddress) async -> PairingSettings?
    /// Answers the questions of the pairing with a device.
    public let answer: @Sendable (RemoteAddress, PairingQuestion) async -> PairingAnswer

    /// A handler that decides for each device.
    public init(
        settings: @escaping @Sendable (RemoteAddress) async -> PairingSettings?,
        answer: @escaping @Sendable (RemoteAddress, PairingQuestion) async -> PairingAnswer
    ) {
        self.settings = settings
        self.answer = answer
    }

    /// Pairs with every device by these settings.
    /// - Parameter answer: called with each question for the user; without it, only questions that `settings` answer are
    ///   answered.
    public static func pairing(
        _ settings: PairingSettings = PairingSettings(),
        answer: @escaping @Sendable (RemoteAddress, PairingQuestion) async -> PairingAnswer = { _, _ in .cancel }
    ) -> SecurityRequestHandler {
        SecurityRequestHandler(settings: { _ in settings }, answer: answer)
    }

    /// Refuses every request of a device without a bond.
    public static let refusing = SecurityRequestHandler(settings: { _ in nil }, answer: { _, _ in .cancel })
}

/// A radio whose central answers devices that request encryption; "just works" with each of them unless another handler is
/// set. On other radios the system answers.
public protocol SecurityRequestRadio: CentralRadio {
    /// Sets the handler of requests from now on.
    func setSecurityRequestHandler(_ handler: SecurityRequestHandler) async
}
