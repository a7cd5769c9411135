// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension ProfileMistake {
    /// A mistake in a beacon's pairing settings.
    private static func pairing(_ pairing: String, _ key: String, _ message: String) -> ProfileMistake {
        let field = "beacons[0].pairing" + (key.isEmpty ? "" : ".\(key)")
        return configurable("pairing: \(pairing)\n", field: field, message)
    }

    static let pairing = [
        pairing("¦yes", "", "a mapping of keys and values is expected here"),
        pairing("¦[display]", "", "a mapping of keys and values is expected here"),
        pairing(
            "{ io: ¦screen }", "io",
            "\"screen\" is not one of none, display, display-yes-no, keyboard, keyboard-display"),
        pairing("{ io: ¦[display] }", "io", "a single value is expected here"),
        pairing(
            "{ io: display, passkey: ¦12345 }", "passkey",
            "\"12345\" is not a passkey; write six digits, such as 123456"),
        pairing(
            "{ io: display, passkey: ¦12345a }", "passkey",
            "\"12345a\" is not a passkey; write six digits, such as 123456"),
        pairing(
            "{ io: display, passkey: ¦-12345 }", "passkey",
            "\"-12345\" is not a passkey; write six digits, such as 123456"),
        pairing(
            "{ io: none, passkey: ¦123456 }", "passkey",
            "a device with io: none neither shows nor accepts a passkey; write io: display or io: keyboard"),
        pairing(
            "{ mitm: ¦true }", "mitm",
            "a device with io: none cannot be protected against a person in the middle; write io: display"),
        pairing("{ bonding: ¦1 }", "bonding", "\"1\" is not one of true, false"),
        pairing("{ request: ¦always }", "request", "\"always\" is not one of true, false"),
        pairing(
            "{ secure-connections: ¦true }", "secure-connections",
            "\"true\" is not one of required, preferred, off"),
        pairing(
            "{ io: display, comparison: ¦accept }", "comparison",
            "numbers are compared only with secure connections and io: display-yes-no or keyboard-display; leave "
                + "comparison out"),
        pairing(
            "{ io: display-yes-no, secure-connections: off, comparison: ¦accept }", "comparison",
            "numbers are compared only with secure connections and io: display-yes-no or keyboard-display; leave "
                + "comparison out"),
        pairing(
            "{ io: display-yes-no, comparison: ¦maybe }", "comparison",
            "\"maybe\" is not one of ask, accept, reject"),
        pairing(
            "{ minimum-key-size: ¦6 }", "minimum-key-size", "\"6\" is not a key size from 7 to 16 bytes"),
        pairing(
            "{ minimum-key-size: ¦128 }", "minimum-key-size", "\"128\" is not a key size from 7 to 16 bytes"),
        pairing(
            "{ ¦pin: 1234 }", "",
            "there is no key \"pin\" here; keys are io, passkey, comparison, bonding, mitm, secure-connections, "
                + "minimum-key-size, private-address, request"),
        plain(
            "pairing: ¦{ io: display }", field: "beacons[0].pairing",
            "nothing connects to a beacon that sends ADV_NONCONN_IND, so nothing pairs with it; write pdu: ADV_IND, or "
                + "leave pairing out"),
    ]
}
