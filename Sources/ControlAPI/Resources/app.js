// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The page of a run: a model that follows the API, views that show it, and the commands that views can give.

import * as api from "./api.js";
import { DetailView } from "./detail.js";
import { byId, set, text } from "./dom.js";
import { LogView } from "./log.js";
import { MapView } from "./map.js";
import { Model } from "./model.js";
import { RunView } from "./run.js";
import { ScenarioView } from "./scenario.js";
import { SignalView } from "./signal.js";
import { makeTables } from "./tables.js";

const model = new Model();
let noticeTimer;

/** Shows a failure: what is wrong, and what to do instead. */
function notify(problem) {
    const notice = byId("notice");
    const sentence = problem.message.replace(/\.$/, "");
    text(
        notice,
        problem.hint ? `${sentence}. ${problem.hint.charAt(0).toUpperCase()}${problem.hint.slice(1)}.` : `${sentence}.`,
    );
    notice.hidden = false;
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => (notice.hidden = true), 10_000);
}

async function attempt(work) {
    try {
        return await work();
    } catch (problem) {
        notify(problem);
        model.refresh();
        return undefined;
    }
}

/**
 * The latest requested position of each name, while a request is under way: a drag makes more of them than a server
 * needs.
 */
const moves = new Map();

async function move(kind, name, position) {
    const key = `${kind} ${name}`;
    const isRunning = moves.has(key);
    moves.set(key, position);
    if (isRunning) return;
    for (let sent; sent !== moves.get(key); ) {
        sent = moves.get(key);
        const answer = await attempt(() => api.patch(api.path(`${kind}s`, name), { position: sent }));
        if (kind === "beacon" && answer?.device) model.store("beacon", answer);
        else if (answer) model.store("receiver", { ...model.receivers.get(name), position: sent });
    }
    moves.delete(key);
    model.hold(name, undefined);
    model.change(kind, name);
}

const commands = {
    move,
    patchBeacon: (name, change) => attempt(
        async () => model.store("beacon", await api.patch(api.path("beacons", name), change)),
    ),
    disconnect: (name) => attempt(() => api.post(`${api.path("beacons", name)}/disconnect`)),
    overrideLink: ({ from, to }, override) => attempt(
        () => (override ? api.put(api.path("links", from, to), override) : api.remove(api.path("links", from, to))),
    ),
    setRate: (rate) => attempt(() => api.put("v1/clock", { rate })),
    setRadio: (power) => attempt(() => api.put("v1/radio", { power })),
    startScenario: (text, file) => attempt(
        () => api.put(`v1/scenario?file=${encodeURIComponent(file)}`, text, "application/yaml"),
    ),
    stopScenario: () => attempt(() => api.remove("v1/scenario")),
    reset: () => attempt(async () => {
        await api.post("v1/reset");
        model.refresh();
    }),
    reload: () => attempt(async () => {
        await api.post("v1/reload");
        model.refresh();
    }),
    advance: (by) => attempt(async () => {
        await api.post("v1/clock/advance", { by });
        model.refresh();
    }),
};

new MapView(model, commands);
new DetailView(model, commands);
new SignalView(model, commands);
makeTables(model, commands);
new RunView(model, commands);
new ScenarioView(model, commands);
new LogView(model);

const CONNECTION = {
    connecting: "Connecting", live: "Live", lost: "Connection lost, connecting again",
    refused: "A token is required: open the address with #token=…",
};

model.observe((changed) => {
    if (changed.has("connection")) {
        set(byId("status"), "data-state", model.connection);
        text(byId("status"), CONNECTION[model.connection]);
    }
    const beacons = [...model.beacons.values()];
    text(byId("figure-on-air"), `${beacons.filter((each) => each.onAir).length} of ${beacons.length}`);
    text(byId("figure-receivers"), String(model.receivers.size));
    text(byId("figure-warnings"), String(model.warningCount));
    const profiles = [...new Set(beacons.map((each) => each.profile))];
    text(
        byId("run"),
        [profiles.slice(0, 3).join(", "), model.radio && `radio ${model.radio.radio}`].filter(Boolean).join(" · "),
    );
    if (profiles.length) document.title = `${profiles[0]} – Beaconry`;
});

model.run();
