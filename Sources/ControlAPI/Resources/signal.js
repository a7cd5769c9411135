// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The RSSI of the selected beacon or receiver: the last minute as lines, and each link as a number and a bar.

import { arrange, byId, html, set, svg, text } from "./dom.js";
import * as format from "./format.js";
import { rssi, SAMPLE_PERIOD, SAMPLES } from "./model.js";

const HEIGHT = 190;
/** On a wide screen, the height that is left beside the map. */
const TALL = 300;
const LEFT = 34;
const BOTTOM = 22;
const TOP = 8;
const SPAN = (SAMPLES * SAMPLE_PERIOD);
/** Lines in the chart, each with a pattern and a mark of its own; there are colours for as many. */
const MOST_LINES = 5;
const MARKS = [
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M-3-3h6v6h-6z", "M0-4l4 7h-8z", "M0-4l4 4-4 4-4-4z", "M-3-3l6 6M3-3l-6 6",
];
const MOST_ROWS = 12;

export class SignalView {
    #model;
    #commands;
    #root = byId("signal");
    #chart = svg("svg", { class: "chart", role: "img" });
    #list = html("ul", { class: "links", "aria-label": "Links" });
    #note = html("p", { class: "quiet" });
    #width = 300;
    #height = HEIGHT;
    #rows = new Map();
    /**
     * The line that each link has while it is shown, so that its colour does not change when another becomes stronger.
     */
    #lines = [];

    constructor(model, commands) {
        this.#model = model;
        this.#commands = commands;
        this.#root.append(this.#note, this.#chart, this.#list);
        new ResizeObserver(([entry]) => {
            this.#width = Math.max(200, entry.contentRect.width);
            this.#height = matchMedia("(min-width: 105rem)").matches ? TALL : HEIGHT;
            this.#draw();
        }).observe(this.#root);
        model.observe((changed) => {
            if (changed.has("selection")) this.#lines = [];
            if (changed.has("links") || changed.has("selection") || changed.has("ready")) this.#draw();
        });
    }

    #draw() {
        const { selected, selection } = this.#model;
        const links = selection ? this.#model.linksOf(selected) : [];
        text(
            byId("signal-title"),
            selected ? (selected.kind === "beacon" ? `RSSI of ${selected.name}` : `RSSI at ${selected.name}`) : "RSSI",
        );
        text(this.#note, links.length ? ""
            : !this.#model.receivers.size ? "No host scans. Start one with --hci-server, and it appears here."
            : selected?.kind === "receiver" ? "It does not scan, or nothing is on the air."
            : "No receiver scans, or the beacon is not on the air.");
        this.#note.hidden = links.length > 0;
        this.#chart.toggleAttribute("hidden", !links.length);
        set(this.#chart, "display", links.length ? false : "none");
        const others = new Set(links.map(({ other }) => other));
        this.#lines = this.#lines.map((name) => (others.has(name) ? name : undefined));
        for (const { other } of links.slice(0, MOST_LINES)) {
            if (this.#lines.includes(other)) continue;
            const free = [...Array(MOST_LINES).keys()].find((index) => !this.#lines[index]);
            if (free !== undefined) this.#lines[free] = other;
        }
        this.#drawChart();
        this.#drawList(links);
    }

    #drawChart() {
        const width = this.#width, height = this.#height;
        set(this.#chart, "height", height);
        set(this.#chart, "viewBox", `0 0 ${width} ${height}`);
        set(this.#chart, "width", width);
        const now = performance.now();
        const [low, high] = [-100, -30];
        const x = (time) => LEFT + (width - LEFT - 12) * (1 - (now - time) / SPAN);
        const y = (level) => TOP + (height - TOP - BOTTOM) * (
            (high - Math.max(low, Math.min(high, level))) / (high - low)
        );
        const parts = [];
        for (let level = high - 10; level >= low; level -= 20) {
            parts.push(svg("line", { class: "rule", x1: LEFT, x2: width - 8, y1: y(level), y2: y(level) }),
                svg("text", { x: LEFT - 5, y: y(level) + 4, "text-anchor": "end" }, format.signed(level)));
        }
        for (const seconds of width < 420 ? [60, 30, 0] : [60, 45, 30, 15, 0]) {
            parts.push(
                svg(
                    "text",
                    {
                        x: x(now - seconds * 1000), y: height - 5,
                        "text-anchor": seconds === 0 ? "end" : seconds === 60 ? "start" : "middle",
                    },
                    seconds ? `${seconds} s ago` : "now",
                ),
            );
        }
        const { selected } = this.#model;
        const described = [];
        this.#lines.forEach((other, index) => {
            if (!other || !selected) return;
            const samples = selected.kind === "beacon"
                ? this.#model.history(selected.name, other)
                : this.#model.history(other, selected.name);
            let path = "", last;
            for (const [time, level] of samples) {
                if (level === undefined || now - time > SPAN) {
                    last = undefined;
                    continue;
                }
                path += `${last ? "L" : "M"}${x(time).toFixed(1)} ${y(level).toFixed(1)}`;
                last = [x(time), y(level), level];
            }
            parts.push(svg("path", { class: `line line-${index}`, d: path }));
            if (last) {
                parts.push(
                    svg(
                        "path",
                        {
                            class: `mark line-${index}`, d: MARKS[index],
                            transform: `translate(${last[0].toFixed(1)} ${last[1].toFixed(1)})`,
                        },
                    ),
                );
                described.push(`${other} ${format.dBm(last[2])}`);
            }
        });
        arrange(this.#chart, parts);
        set(this.#chart, "aria-label", `RSSI of the last minute in dBm. Now: ${described.join(", ") || "none"}.`);
    }

    #drawList(links) {
        const shown = links.slice(0, MOST_ROWS);
        const names = new Set(shown.map(({ other }) => other));
        for (const name of this.#rows.keys()) if (!names.has(name)) this.#rows.delete(name);
        const elements = shown.map(({ other, link }) => {
            if (!this.#rows.has(other)) this.#rows.set(other, this.#makeRow(other));
            const row = this.#rows.get(other);
            const index = this.#lines.indexOf(other);
            set(row.mark, "class", index < 0 ? "mark none" : `mark line-${index}`);
            set(row.mark.firstChild, "d", MARKS[Math.max(0, index)]);
            row.meter.value = rssi(link);
            text(row.level, format.dBm(rssi(link)));
            text(row.facts, [
                link.distance === undefined ? "1 m (no position)" : format.metres(link.distance),
                link.loss ? `${Math.round(link.loss * 100)} % lost` : "", overrideText(link.override),
            ].filter(Boolean).join(", "));
            const isBlocked = link.override !== undefined;
            text(row.block, isBlocked ? "Reset link" : "Block");
            set(row.block, "aria-label", `${isBlocked ? "Reset the link with" : "Block the link with"} ${other}`);
            row.act = () => this.#commands.overrideLink(link, isBlocked ? undefined : { blocked: true });
            return row.element;
        });
        if (links.length > MOST_ROWS) elements.push(
            html("li", { class: "quiet" }, `and ${links.length - MOST_ROWS} weaker ones`),
        );
        arrange(this.#list, elements);
    }

    #makeRow(other) {
        const mark = svg(
            "svg", { viewBox: "-6 -6 12 12", width: 12, height: 12, "aria-hidden": "true" }, svg("path", {}),
        );
        const level = html("strong");
        const facts = html("span", { class: "quiet" });
        const meter = html("meter", { min: -100, max: -30, low: -85, high: -70, optimum: -40, "aria-hidden": "true" });
        const row = { mark, meter, level, facts, act: () => {} };
        row.block = html("button", { type: "button", class: "small", click: () => row.act() });
        row.element = html("li", {}, mark, html("span", { class: "other" }, other), meter, level, facts, row.block);
        return row;
    }
}

function overrideText(override) {
    if (!override) return "";
    const parts = [
        override.rssi === undefined ? "" : `fixed at ${format.dBm(override.rssi)}`,
        override.pathLoss ? `${format.trim(override.pathLoss)} dB more loss` : "",
        override.packetLoss === undefined
            ? ""
            : override.packetLoss >= 1
            ? "blocked"
            : `${Math.round(override.packetLoss * 100)} % of packets lost`,
        override.seconds === undefined ? "" : `for ${Math.ceil(override.seconds)} s`,
    ];
    return parts.filter(Boolean).join(", ");
}
