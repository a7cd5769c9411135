// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The latest events, newest first. The list has at most 150 lines, whatever the rate of events.

import { arrange, byId, html, text } from "./dom.js";
import * as format from "./format.js";

const LINES = 150;
const ALERTS = new Set([
    "warning", "refused", "radio-lost", "advertising-refused", "pairing-failed", "reload-failed", "host-refused",
    "events-lost", "battery-flat",
]);

export class LogView {
    #model;
    #list = byId("log");
    #filter = byId("log-filter");
    #pause = byId("log-pause");
    #lines = new WeakMap();
    #held = undefined;
    /** Whether the pointer is over the list: then nothing moves there. */
    #isOver = false;

    constructor(model) {
        this.#model = model;
        model.observe((changed) => {
            if (changed.has("events") && !this.#held && !this.#isOver) this.#draw();
        });
        this.#list.addEventListener("pointerenter", (event) => {
            this.#isOver = event.pointerType === "mouse";
        });
        this.#list.addEventListener("pointerleave", () => {
            this.#isOver = false;
            this.#draw();
        });
        this.#filter.addEventListener("input", () => this.#draw());
        this.#pause.addEventListener("click", () => {
            this.#held = this.#held ? undefined : [...model.events];
            this.#pause.setAttribute("aria-pressed", String(Boolean(this.#held)));
            text(this.#pause, this.#held ? "Continue" : "Pause");
            this.#draw();
        });
    }

    #draw() {
        const words = this.#filter.value.trim().toLowerCase();
        const lines = [];
        const events = this.#held ?? this.#model.events;
        for (let index = events.length - 1; index >= 0 && lines.length < LINES; index -= 1) {
            const event = events[index];
            if (
                words && !`${event.event} ${event.device ?? ""} ${sentence(event)}`.toLowerCase().includes(words)
            ) continue;
            if (!this.#lines.has(event)) this.#lines.set(event, this.#make(event));
            lines.push(this.#lines.get(event));
        }
        arrange(
            this.#list,
            lines.length
                ? lines
                : [html("li", { class: "quiet" }, words ? "Nothing matches the filter." : "No events yet.")],
        );
    }

    #make(event) {
        const subject = event.device ?? event.receiver ?? event.host;
        return html("li", { class: ALERTS.has(event.event) ? "alert" : false },
            html("time", { datetime: event.time ?? false }, format.clockTime(event.time)),
            html("span", { class: "what" }, ALERTS.has(event.event) ? "⚠ " : "", event.event),
            subject
                ? html(
                    "button",
                    {
                        type: "button", class: "link",
                        click: () => this.#model.select(event.device ? "beacon" : "receiver", subject),
                    },
                    subject,
                )
                : null,
            html("span", { class: "quiet" }, sentence(event)));
    }
}

/** The sentence of an event, without the name of its beacon, which stands beside it, and without the bytes on the air. */
function sentence(event) {
    if (event.event === "events-lost") return event.message;
    if (event.event === "advertising-started" || event.event === "advertising-changed") return [
        `on the air: ${event.pdu ?? "PDU type unknown"}`,
        event.intervalTicks === undefined ? "interval unknown" : `every ${format.interval(event.intervalTicks)}`,
        format.dBm(event.txPower), event.address && `from ${event.address}`,
    ].filter(Boolean).join(", ");
    const words = event.text ?? event.message ?? "";
    return words.replace(`warning: ${event.device}: `, "").replace(/^warning: /, "").replace(`${event.device}: `, "");
}
