// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The page of a run: a model that follows the API, views that show it, and the commands that views can give.

import * as api from "./api.js";
import { DetailView } from "./detail.js";
import { byId, set, text } from "./dom.js";
import * as format from "./format.js";
import { LogView } from "./log.js";
import { MapView } from "./map.js";
import { Model } from "./model.js";
import { confirm, Notices } from "./notice.js";
import { PhonesView } from "./phones.js";
import { RunView } from "./run.js";
import { ScenarioView } from "./scenario.js";
import { SignalView } from "./signal.js";
import { airState } from "./state.js";
import { makeTables } from "./tables.js";
import { WelcomeView } from "./welcome.js";

const model = new Model();
const notices = new Notices();

async function attempt(work) {
    try {
        const answer = await work();
        notices.clear();
        return answer;
    } catch (problem) {
        notices.showProblem(problem);
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
        const isBeacon = kind === "beacon";
        const answer = await attempt(
            () => (isBeacon
                ? api.patch(api.path("beacons", name), { position: sent })
                : api.put(`${api.path("air", name)}/position`, { position: sent })),
        );
        if (isBeacon && answer) model.store("beacon", answer);
        else if (answer) model.store("receiver", { ...model.receivers.get(name), position: sent });
    }
    moves.delete(key);
    model.hold(name, undefined);
    model.change(kind, name);
}

/** Reports a move that is done, so that it can be undone; moving ends a movement of the profile. */
function moved(kind, name, from, to) {
    notices.showMove(kind, name, from, to, (start) => {
        model.hold(name, start);
        model.change(kind, name);
        move(kind, name, start);
    });
}

/** The settings that a reset deletes, in a sentence. */
function savedSettings() {
    const names = [...model.beacons.values()].filter((each) => each.keepsSettings).map((each) => each.name);
    if (!names.length) return "";
    const some = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    return `The saved settings of ${some} are deleted.`;
}

async function reset() {
    const bonds = await api.get("v1/bonds").then((answer) => answer.bonds.length, () => 0);
    const isConfirmed = await confirm({
        title: "Reset the run?", action: "Reset",
        sentences: [
            "Every beacon starts again with the settings of its profile.", savedSettings(),
            bonds ? `${format.count(bonds, "bond")} with centrals ${bonds === 1 ? "is" : "are"} deleted.` : "",
            "Connections, faults, moves, added beacons and receivers, and the journal of events end with it. This cannot be "
            + "undone.",
        ],
    });
    if (isConfirmed) await attempt(async () => {
        await api.post("v1/reset");
        notices.endMoves();
        model.refresh();
    });
}

async function setRadio(power) {
    const centrals = [...model.beacons.values()].reduce((sum, each) => sum + (each.centrals?.length ?? 0), 0);
    const isConfirmed = power === "on" || await confirm({
        title: "Switch the radio off?", action: "Switch off",
        sentences: [
            `All ${format.count(model.beacons.size, "beacon")} leave the air.`,
            centrals ? `${format.count(centrals, "connection")} ${centrals === 1 ? "is" : "are"} lost.` : "",
        ],
    });
    if (isConfirmed) await attempt(() => api.put("v1/radio", { power }));
}

/** Changes a beacon; a change that ends its connections is confirmed first. */
async function patchBeacon(name, change) {
    const centrals = model.beacons.get(name)?.centrals?.length;
    const isConfirmed = !centrals || !(change.enabled === false || change.battery === "flat") || await confirm({
        title: change.battery ? `Flat battery for ${name}?` : `Switch ${name} off?`,
        action: change.battery ? "Flat battery" : "Switch off",
        sentences: [`${format.count(centrals, "central")} ${centrals === 1 ? "is" : "are"} disconnected.`],
    });
    if (isConfirmed) await attempt(
        async () => model.store("beacon", await api.patch(api.path("beacons", name), change)),
    );
}

/** Changes a receiver that scans within the run. */
async function patchReceiver(name, change) {
    await attempt(async () => model.store("receiver", await api.patch(api.path("receivers", name), change)));
}

/** Adds a phone, and selects it; whether it was added. */
async function addPhone(name, phone, position) {
    const added = await attempt(() => api.put(api.path("receivers", name), { phone, position }));
    if (!added) return false;
    model.store("receiver", added);
    model.select("receiver", name);
    return true;
}

const commands = {
    move, moved, addPhone, addFirstPhone: () => phones.add(), endMoves: () => notices.endMoves(), patchBeacon, patchReceiver, setRadio, reset,
    disconnect: (name) => attempt(() => api.post(`${api.path("air", name)}/disconnect`)),
    overrideLink: ({ from, to }, override) => attempt(
        () => (override ? api.put(api.path("links", from, to), override) : api.remove(api.path("links", from, to))),
    ),
    removeReceiver: (name) => attempt(async () => {
        await api.remove(api.path("receivers", name));
        model.refresh();
    }),
    setPhysics: (preset) => attempt(() => api.put("v1/air/physics", preset, "application/yaml")),
    startShipped: (file) => attempt(async () => {
        const blob = await api.getBlob(api.path("presets", "scenarios", file));
        return api.put(`v1/scenario?file=${encodeURIComponent(file)}`, await blob.text(), "application/yaml");
    }),
    setRate: (rate) => attempt(() => api.put("v1/clock", { rate })),
    startScenario: (text, file) => attempt(
        () => api.put(`v1/scenario?file=${encodeURIComponent(file)}`, text, "application/yaml"),
    ),
    stopScenario: () => attempt(() => api.remove("v1/scenario")),
    reload: () => attempt(async () => {
        try {
            await api.post("v1/reload");
        } catch (problem) {
            // The faults come as an event, too, which is shown as long as they are there.
            if (!problem.status) throw problem;
        }
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
const phones = new PhonesView(model, commands);
new WelcomeView(model, commands);

const CONNECTION = {
    connecting: "Connecting", live: "Live", lost: "Connection lost, connecting again",
    refused: "A token is required: open the address with #token=…",
};

model.observe((changed) => {
    if (changed.has("connection")) {
        set(byId("status"), "data-state", model.connection);
        text(byId("status"), CONNECTION[model.connection]);
    }
    if (changed.has("reload")) notices.showFault(model.reloadFailure);
    const beacons = [...model.beacons.values()];
    const air = airState(model);
    // What was last read says nothing about the present.
    set(byId("air"), "data-state", model.connection === "live" ? air.state : "unknown");
    text(byId("air"), model.connection === "live" || !beacons.length ? air.text : `last known: ${air.text}`);
    const joined = [...model.receivers.values()].filter((each) => each.joined).length;
    text(
        byId("figure-receivers"), joined === model.receivers.size ? String(joined) : `${joined} of ${model.receivers.size}`,
    );
    text(byId("figure-warnings"), String(model.warningCount));
    const profiles = [...new Set(beacons.map((each) => each.profile))];
    text(
        byId("run"),
        [profiles.slice(0, 3).join(", "), model.radio && `radio ${model.radio.radio}`].filter(Boolean).join(" · "),
    );
    if (profiles.length) document.title = `${air.state === "wrong" ? "⚠ " : ""}${profiles[0]} – Beaconry`;
});

model.run();
