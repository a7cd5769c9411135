// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// What the app of a receiver that scans within the run shows: the beacons that it ranges with their true distances beside, its regions,
// and its connections.

import * as api from "./api.js";
import { arrange, html, set, text } from "./dom.js";
import * as format from "./format.js";
import { HeldOrder } from "./order.js";
import { switchButton } from "./switch.js";

const PERIOD = 1000;
const EXPLANATION = "A phone computes distances from the RSSI. Walls, bodies and reflections change it, and each app has a curve of its own: so "
    + "what the app shows differs from the true distance.";

export class ReceiverApp {
    #model;
    #name;
    #timer;
    #screen;
    #listening;
    #bluetooth;
    #permission;
    #offset = html("input", { type: "number", min: -40, max: 40, step: "any", "aria-label": "RSSI offset in dB" });
    #offsetForm;
    #rows = html("tbody");
    #order = new HeldOrder(this.#rows, () => this.read());
    #known = new Map();
    #none = html("p", { class: "quiet" }, "No beacon is in range.");
    #regions = html("tbody");
    #regionTable = plainTable("Regions", ["Region", "State"], this.#regions);
    #connections = html("p", { class: "quiet" });

    constructor(model, commands, name) {
        this.#model = model;
        this.#name = name;
        const change = (body) => commands.patchReceiver(name, body);
        this.#listening = switchButton(
            "Listening", () => change({ listening: this.#listening.getAttribute("aria-checked") !== "true" }),
        );
        this.#screen = switchButton(
            "Screen", () => change({ screen: this.#screen.getAttribute("aria-checked") === "true" ? "off" : "on" }),
        );
        this.#bluetooth = switchButton(
            "Bluetooth", () => change({ bluetooth: this.#bluetooth.getAttribute("aria-checked") === "true" ? "off" : "on" }),
        );
        this.#permission = switchButton(
            "Permission",
            () => change({ permission: this.#permission.getAttribute("aria-checked") === "true" ? "denied" : "granted" }),
        );
        this.#offsetForm = html("form", { class: "actions", submit: (event) => {
            event.preventDefault();
            if (this.#offset.value !== "") change({ rssiOffset: Number(this.#offset.value) });
        } }, html("label", {}, "RSSI offset ", this.#offset, " dB"), html("button", { type: "submit" }, "Set"));
        this.#regionTable.hidden = true;
        // Not by streams: a browser has six connections to a server, for all tabs.
        this.#timer = setInterval(() => this.read(), PERIOD);
        this.read();
    }

    get switches() { return [this.#listening, this.#screen, this.#bluetooth, this.#permission]; }

    get elements() {
        return [
            this.#offsetForm, this.#connections, html("h3", {}, "Ranging"),
            html("div", { class: "ranging", role: "region", "aria-label": "Ranging", tabindex: 0 },
                plainTable("Beacons that the app ranges", ["Beacon", "RSSI", "True distance", "The app shows"], this.#rows),
                this.#none),
            html("p", { class: "quiet small" }, EXPLANATION), this.#regionTable,
        ];
    }

    close() { clearInterval(this.#timer); }

    update(now) {
        set(this.#listening, "aria-checked", String(now.listening));
        set(this.#screen, "aria-checked", String(now.screen === "on"));
        set(this.#bluetooth, "aria-checked", String(now.bluetooth === "on"));
        set(this.#permission, "aria-checked", String(now.permission === "granted"));
        // Not while it is typed.
        if (document.activeElement !== this.#offset) this.#offset.value = String(now.rssiOffset ?? 0);
    }

    /** Reads the last report, the regions and the connections. */
    async read() {
        const [report, monitored, connected] = await Promise.all(
            ["beacons", "regions", "connections"].map((each) => api.get(api.path("receivers", this.#name, each))),
        ).catch(() => [undefined]);
        if (!report) return;
        this.#drawBeacons(report.beacons);
        this.#regionTable.hidden = monitored.regions.length === 0;
        arrange(this.#regions, monitored.regions.map(
            (each) => html("tr", {}, html("th", { scope: "row" }, each.identifier), html("td", {}, each.state)),
        ));
        const devices = connected.connections.map((each) => each.device ?? each.address);
        this.#connections.hidden = !devices.length;
        text(this.#connections, devices.length ? `Connected to ${devices.join(", ")}.` : "");
    }

    #drawBeacons(beacons) {
        const found = new Map(beacons.map((each) => [identity(each), each]));
        this.#none.hidden = found.size > 0 || this.#order.isHeld;
        const names = this.#order.arrange([...found.keys()]);
        for (const key of this.#known.keys()) if (!names.includes(key)) this.#known.delete(key);
        arrange(this.#rows, names.map((key) => {
            const row = this.#known.get(key) ?? this.#makeRow(found.get(key));
            this.#known.set(key, row);
            const each = found.get(key);
            text(row.rssi, each?.packets ? format.dBm(each.rssi) : "–");
            const distance = this.#distance(row.beacons);
            text(row.distance, distance === undefined ? "–" : `${format.metres(distance)} away`);
            text(row.shown, !each || each.accuracy < 0 ? "nothing" : `${each.accuracy.toFixed(2)} m, ${each.proximity}`);
            return row.element;
        }));
    }

    #makeRow(ranged) {
        const number = ranged.uuid ? `${ranged.major}/${ranged.minor}` : ranged.instance ?? ranged.identity;
        const beacons = [...this.#model.beacons.values()].filter((each) => isIdentity(each.settings, ranged)).map((each) => each.name);
        const [rssi, distance, shown] = [html("td"), html("td"), html("td")];
        return {
            beacons, rssi, distance, shown,
            element: html("tr", {}, html("th", { scope: "row", title: `${ranged.format} ${ranged.uuid ?? ranged.namespace ?? ""}` },
                beacons.length === 1 ? [html("strong", {}, beacons[0]), ` ${number}`] : number), rssi, distance, shown),
        };
    }

    /** The true distance of the nearest of these beacons; `undefined` without positions. */
    #distance(beacons) {
        const place = (resource) => resource && this.#model.position(resource);
        const own = place(this.#model.receivers.get(this.#name));
        const found = beacons.map((name) => place(this.#model.beacons.get(name))).filter(Boolean);
        if (!own || !found.length) return undefined;
        return Math.min(...found.map((each) => Math.hypot(...[0, 1, 2].map((axis) => (each[axis] ?? 0) - (own[axis] ?? 0)))));
    }
}

function identity(ranged) {
    return [ranged.format, ranged.uuid, ranged.major, ranged.minor, ranged.namespace, ranged.instance, ranged.identity].join();
}

/** Whether the settings of a beacon are those of what is ranged. */
function isIdentity(settings, ranged) {
    const same = (one, two) => String(one ?? "").toLowerCase() === String(two ?? "").toLowerCase();
    if (ranged.uuid) {
        return same(settings.uuid ?? settings.id1, ranged.uuid) && same(settings.major ?? settings.id2, ranged.major)
            && same(settings.minor ?? settings.id3, ranged.minor);
    }
    return Boolean(ranged.namespace) && same(settings.namespace, ranged.namespace) && same(settings.instance, ranged.instance);
}

/** A small table with a hidden caption. */
function plainTable(caption, columns, body) {
    return html("div", { class: "scroll plain" }, html("table", { class: "effective" },
        html("caption", { class: "hidden" }, caption),
        html("thead", {}, html("tr", {}, columns.map((each) => html("th", { scope: "col" }, each)))), body));
}
