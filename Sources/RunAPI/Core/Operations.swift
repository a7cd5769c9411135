// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The list of operations.
package enum Operations {
    /// All, in the order of the documentation.
    package static let all: [Endpoint] =
        run + profiles + beacons + air + receivers + connections + captures + journal

    private static let run = [
        Endpoint(ShowHealth.self), Endpoint(ShowVersion.self), Endpoint(ShowDescription.self),
        Endpoint(ShowMetrics.self), Endpoint(Reload.self), Endpoint(Reset.self), Endpoint(Stop.self),
        Endpoint(SetRadio.self), Endpoint(ShowClock.self), Endpoint(SetRate.self), Endpoint(AdvanceClock.self),
    ]

    private static let profiles = [
        Endpoint(ShowProfile.self), Endpoint(ReplaceProfile.self), Endpoint(ShowScenario.self),
        Endpoint(StartScenario.self), Endpoint(StopScenario.self), Endpoint(ListPresets.self),
        Endpoint(ShowPresetScenario.self),
    ]

    private static let beacons = [
        Endpoint(ListBeacons.self), Endpoint(ChangeBeacons.self), Endpoint(RemoveBeacons.self),
        Endpoint(ShowBeacon.self), Endpoint(ChangeBeacon.self), Endpoint(PutBeacon.self), Endpoint(RemoveBeacon.self),
        Endpoint(ResetBeacon.self), Endpoint(ResetBeacons.self),
        Endpoint(PerformCommand.self), Endpoint(RequestPairing.self), Endpoint(AnswerPairing.self),
        Endpoint(ListBonds.self), Endpoint(ForgetBonds.self), Endpoint(ShowConnectionFault.self),
        Endpoint(FailConnections.self),
    ]

    private static let air = [
        Endpoint(Move.self), Endpoint(Walk.self), Endpoint(Disconnect.self), Endpoint(ShowAir.self),
        Endpoint(ShowMap.self), Endpoint(ChangePhysics.self),
        Endpoint(ListLinks.self), Endpoint(ShowLinkHistory.self), Endpoint(OverrideLink.self),
        Endpoint(ResetLink.self), Endpoint(ShowBench.self),
    ]

    private static let receivers = [
        Endpoint(ListReceivers.self), Endpoint(AddReceiver.self), Endpoint(ShowReceiver.self),
        Endpoint(PutReceiver.self),
        Endpoint(ChangeReceiver.self), Endpoint(RemoveReceiver.self), Endpoint(FollowAdvertisements.self),
        Endpoint(ListAdvertisers.self), Endpoint(FollowRanging.self), Endpoint(ShowRanging.self),
        Endpoint(FollowMonitoring.self), Endpoint(ShowTruth.self), Endpoint(ListRegions.self), Endpoint(PutRegion.self),
        Endpoint(RemoveRegion.self),
    ]

    private static let connections = [
        Endpoint(ListConnections.self), Endpoint(ConnectDevice.self), Endpoint(DisconnectDevice.self),
        Endpoint(ListServices.self), Endpoint(ReadCharacteristic.self), Endpoint(WriteCharacteristic.self),
        Endpoint(FollowNotifications.self), Endpoint(Unsubscribe.self),
    ]

    private static let captures = [
        Endpoint(ListCaptures.self), Endpoint(StartCapture.self), Endpoint(ShowCapture.self),
        Endpoint(StopCapture.self), Endpoint(ReadCapture.self), Endpoint(RemoveCapture.self),
    ]

    private static let journal = [
        Endpoint(FollowEvents.self), Endpoint(ShowJournal.self), Endpoint(ClearJournal.self), Endpoint(Wait.self),
    ]
}
