// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The selected beacon or receiver: switches, and its settings with what is effective beside what was requested.

import { arrange, breakable, byId, html, set, text } from "./dom.js";
import * as format from "./format.js";
import { ReceiverApp } from "./receiver.js";
import { beaconState, receiverState } from "./state.js";
import { switchButton } from "./switch.js";

/** The settings that come first; the others follow in the order of their keys. */
const FIRST = ["uuid", "major", "minor"];

/** What an advertisement has: its names in `effective`, in events and among what differs, and the setting that requests it. */
const ADVERTISED = [
    {
        field: "intervalTicks", differs: "interval", name: "Interval", show: format.interval,
        requested: (each) => format.ticks(each.settings.interval),
    },
    {
        field: "txPowerDbm", event: "txPower", name: "TX power", show: format.dBm,
        requested: (each) => format.number(each.settings["tx-power"]),
    },
    { field: "pdu", name: "PDU type" },
    { field: "address", name: "Address" },
];

export class DetailView {
    #model;
    #commands;
    #root = byId("detail");
    #shown = undefined;
    #parts = undefined;
    /** The app of the receiver that is shown. */
    #app = undefined;

    constructor(model, commands) {
        this.#model = model;
        this.#commands = commands;
        model.observe((changed) => {
            const selected = model.selected;
            if (selected && changed.get("app")?.has(selected.name)) this.#app?.read();
            if (
                changed.has("selection") || changed.has("ready") || (
                    selected && changed.get(selected.kind)?.has(selected.name)
                )
            ) this.#draw();
        });
    }

    #draw() {
        const { selected, selection } = this.#model;
        if (!selection) {
            this.#shown = undefined;
            this.#closeApp();
            text(byId("detail-title"), "Selected");
            arrange(
                this.#root,
                [
                    html(
                        "p", { class: "quiet" },
                        this.#model.beacons.size
                            ? "Select a beacon or a receiver on the map or in a table."
                            : "No beacon runs.",
                    ),
                ],
            );
            return;
        }
        const shape = JSON.stringify(
            [
                selected.kind, selected.name, selection.kind, Object.keys(selection.settings ?? {}),
                selection.listening !== undefined,
            ],
        );
        if (this.#shown !== shape) {
            this.#shown = shape;
            this.#closeApp();
            this.#parts = selected.kind === "beacon"
                ? this.#makeBeacon(selected.name, selection)
                : this.#makeReceiver(selected.name, selection.listening !== undefined);
            arrange(this.#root, this.#parts.elements);
        }
        text(byId("detail-title"), selection.label ? `${selected.name} – ${selection.label}` : selected.name);
        this.#parts.update(selection);
    }

    #closeApp() {
        this.#app?.close();
        this.#app = undefined;
    }

    #place(kind, name, position) {
        const from = this.#model.position(this.#model.selection);
        this.#commands.endMoves();
        this.#commands.moved(kind, name, from, position);
        this.#commands.move(kind, name, position);
    }

    // Beacons ---------------------------------------------------------------------------------------------------------

    #makeBeacon(name, beacon) {
        const run = (change) => this.#commands.patchBeacon(name, change);
        const state = html("p", { class: "state" });
        const toggle = switchButton("Power", () => run({ enabled: toggle.getAttribute("aria-checked") !== "true" }));
        const mute = html(
            "button",
            {
                type: "button", "aria-pressed": "false",
                click: () => run({ muted: mute.getAttribute("aria-pressed") !== "true" }),
            },
            "Mute",
        );
        const battery = html(
            "button",
            {
                type: "button", "aria-pressed": "false",
                click: () => run({ battery: battery.getAttribute("aria-pressed") === "true" ? "full" : "flat" }),
            },
            "Flat battery",
        );
        const disconnect = html(
            "button", { type: "button", click: () => this.#commands.disconnect(name) }, "Disconnect",
        );
        const warnings = html("ul", { class: "warnings" });
        const others = Object.keys(beacon.settings).filter((key) => !FIRST.includes(key)).sort();
        const keys = [...FIRST.filter((key) => key in beacon.settings), ...others];
        const rows = keys.map((key) => ({ key, ...settingRow(key, (value) => run({ settings: { [key]: value } })) }));
        const place = placeRow((position) => this.#place("beacon", name, position));
        const effective = html("tbody");
        const facts = html("dl", { class: "facts" });
        return {
            elements: [
                html("div", { class: "actions" }, toggle, mute, battery, disconnect), state, warnings,
                html("h3", {}, "Settings"), html(
                    "div", { class: "settings" }, rows.map(({ element }) => element), place.element,
                ),
                html("h3", {}, "On the air"),
                html("div", { class: "scroll plain" }, html("table", { class: "effective" },
                    html("caption", { class: "hidden" }, "Requested and effective advertisement"),
                    html(
                        "thead", {},
                        html(
                            "tr", {},
                            ["", "Requested", "Effective"].map(
                                (each) => (each ? html("th", { scope: "col" }, each) : html("td")),
                            ),
                        ),
                    ), effective)),
                facts,
            ],
            update: (now) => {
                const described = beaconState(now, this.#model);
                set(toggle, "aria-checked", String(now.enabled));
                set(toggle, "disabled", now.battery === "flat");
                set(mute, "aria-pressed", String(Boolean(now.muted)));
                set(battery, "aria-pressed", String(now.battery === "flat"));
                disconnect.hidden = !now.centrals?.length;
                set(state, "data-state", described.isWrong ? "wrong" : false);
                text(state, `${now.kind}, ${described.text}${now.schedule ? scheduleText(now.schedule) : ""}`);
                arrange(
                    warnings,
                    this.#model.warningsOf(name).map(
                        (each) => html(
                            "li", {}, html("strong", {}, each.message),
                            each.hint ? html("span", {}, ` ${format.sentence(each.hint)}`) : null,
                        ),
                    ),
                );
                for (const row of rows) row.update(String(now.settings[row.key] ?? ""), now.present?.[row.key]);
                place.update(this.#model.position(now));
                this.#drawEffective(effective, now);
                arrange(facts, [
                    fact("Advertised name", now.advertisedName), fact("Profile", now.profile), fact(
                        "GATT services", now.services?.join(", "),
                    ),
                    fact("Centrals", now.centrals?.join(", ")), fact(
                        "Saved settings", now.keepsSettings ? "kept over restarts" : "not kept",
                    ),
                ].flat().filter(Boolean));
            },
        };
    }

    #drawEffective(body, beacon) {
        const advertisement = this.#model.advertisements.get(beacon.name);
        const rows = ADVERTISED.map(({ field, event = field, differs: difference = event, name, show = String, requested: setting }) => {
            // The last values of a beacon that is not on the air are not effective.
            const effective = beacon.onAir ? beacon.effective?.[field] : undefined;
            const requested = advertisement?.requested?.[event] ?? setting?.(beacon);
            const differs = beacon.onAir && advertisement?.different?.includes(difference);
            return html("tr", { class: differs ? "differs" : false },
                html("th", { scope: "row" }, name),
                html("td", {}, requested === undefined ? "–" : breakable(show(requested))),
                html(
                    "td", {},
                    effective !== undefined ? breakable(show(effective)) : beacon.effective && beacon.onAir ? "not reported" : "–",
                    differs ? html("strong", {}, " differs") : null,
                ));
        });
        arrange(body, rows);
    }

    // Receivers -------------------------------------------------------------------------------------------------------

    #makeReceiver(name, listens) {
        const state = html("p", { class: "state" });
        const place = placeRow((position) => this.#place("receiver", name, position));
        const app = listens ? new ReceiverApp(this.#model, this.#commands, name) : undefined;
        this.#app = app;
        const remove = html(
            "button", { type: "button", click: () => this.#commands.removeReceiver(name) }, "Remove",
        );
        return {
            elements: [
                html("div", { class: "actions" }, app?.switches, remove), state,
                html("div", { class: "settings" }, place.element), app?.elements,
            ].flat().filter(Boolean),
            update: (now) => {
                const phone = now.phone ? `${phoneText(now.phone)}, ` : `${now.kind ?? "receiver"}, `;
                remove.hidden = now.joined && !now.phone && !now.server;
                text(
                    state,
                    `${phone}${receiverState(now).text}${now.screen === "off" ? ", screen off" : ""}${now.bluetooth === "off" ? ", Bluetooth off" : ""}`
                        + `${now.permission === "denied" ? ", permission denied" : ""}${hardwareText(now)}${now.path ? ", moves on a path" : ""}`
                        + `${now.room ? `; in ${now.room}` : ""}${estimateText(now)}`
                        + `${now.problem ? `; ${now.problem}` : ""}`,
                );
                place.update(this.#model.position(now));
                app?.update(now);
            },
        };
    }
}

/** The preset of a phone, and its handset. */
function phoneText(phone) {
    return phone.handset ? `${phone.preset} (${phone.handset})` : phone;
}

/** The room of its estimate, after a semicolon. */
function estimateText({ estimate }) {
    if (!estimate) return "";
    return `; estimated in ${estimate.room ?? "no room"} (${estimate.estimator})`;
}

/** What differs from an ideal receiver, after a comma. */
function hardwareText(receiver) {
    const { rssiOffset, sensitivity, fast, antenna, carried, heading } = receiver;
    return [
        rssiOffset !== undefined && `RSSI ${rssiOffset > 0 ? "+" : ""}${rssiOffset} dB`,
        sensitivity !== undefined && `sensitivity ${sensitivity} dBm`, fast !== undefined && `fast ${fast} dB`,
        antenna && `antenna ${antenna}`, carried && `carried in the ${carried}`, heading !== undefined && `heading ${heading}°`,
    ].filter(Boolean).map((part) => `, ${part}`).join("");
}

function scheduleText({ on, until, overridden }) {
    const change = until ? ` until ${format.clockTime(until).slice(0, 5)} UTC` : "";
    return `; schedule: ${on ? "on" : "off"}${change}${overridden ? ", overridden" : ""}`;
}

/** A setting: its name, the value in a field, a button that sends it, and where it is simulated the present value. */
function settingRow(key, send) {
    const id = `setting-${key}`;
    const name = format.capital(format.words(key));
    const input = html("input", { id, type: "text", autocomplete: "off", spellcheck: "false" });
    const apply = html("button", { type: "submit", "aria-label": `Set ${name}`, hidden: true }, "Set");
    const present = html("span", { class: "present" });
    let known = "";
    const compare = () => (apply.hidden = input.value === known);
    input.addEventListener("input", compare);
    input.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        input.value = known;
        compare();
    });
    const element = html("form", { class: key === "uuid" ? "wide" : false, submit: async (event) => {
        event.preventDefault();
        await send(input.value);
        compare();
    } }, html("label", { for: id }, name), html("span", { class: "value" }, input, apply), present);
    return {
        element,
        update: (value, now) => {
            // What is being typed is not replaced.
            if (input.value === known || document.activeElement !== input) input.value = value;
            known = value;
            compare();
            text(present, now === undefined ? "" : `now ${now}`);
        },
    };
}

/** The position in three fields. */
function placeRow(send) {
    const inputs = ["x", "y", "z"].map(
        (axis) => html(
            "input", { type: "number", step: "0.1", "aria-label": `Position ${axis} in metres`, placeholder: axis },
        ),
    );
    const apply = html("button", { type: "submit", "aria-label": "Set Position", hidden: true }, "Set");
    let known = ["", "", ""];
    const compare = () => (
        apply.hidden = inputs.every(
            (input, index) => input.value === known[index],
        ) || inputs[0].value === "" || inputs[1].value === ""
    );
    for (const input of inputs) input.addEventListener("input", compare);
    const element = html("form", { class: "place", submit: (event) => {
        event.preventDefault();
        send(inputs.map((input) => Number(input.value) || 0));
    } }, html("span", { class: "label" }, "Position"), html(
        "span", { class: "value" }, inputs, html("span", { class: "unit" }, "m"), apply,
    ));
    return {
        element,
        update: (position) => {
            const values = position ? [0, 1, 2].map((axis) => format.trim(position[axis] ?? 0)) : ["", "", ""];
            inputs.forEach((input, index) => {
                if (document.activeElement !== input) input.value = values[index];
            });
            known = values;
            compare();
        },
    };
}

function fact(name, value) {
    return value ? [html("dt", {}, name), html("dd", {}, value)] : [];
}
