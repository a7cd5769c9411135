// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The rooms of the run's air under the map, a floor at a time: that of what is selected, or the one that is chosen.

import { arrange, byId, html, set, svg } from "./dom.js";

export class RoomsLayer {
    element = svg("g", { class: "rooms", "aria-hidden": true });
    #model;
    #floor = undefined;
    #choice = byId("floor");
    /** What is selected, with its floor: when either changes, that floor is shown. */
    #followed = "";
    #isOther = false;

    /** @param redraw called when another floor is chosen */
    constructor(model, redraw) {
        this.#model = model;
        this.#choice.addEventListener("change", () => {
            this.#floor = this.#choice.value;
            redraw();
        });
        model.observe((changed) => {
            if (changed.has("walls")) this.#readFloors();
            // Also what is selected again after something else.
            if (changed.has("selection")) this.#followed = "";
            this.#follow();
        });
    }

    /** The floors, the lowest first. */
    get #floors() { return this.#model.air?.floors ?? []; }

    get #rooms() { return (this.#model.air?.rooms ?? []).filter((each) => each.floor === this.#floor); }

    /** The corners of the rooms of all floors, so that the view is the same for each. */
    get corners() { return (this.#model.air?.rooms ?? []).flatMap((each) => each.outline); }

    /** Whether another floor is shown than at the last call. */
    takeChange() {
        const isOther = this.#isOther;
        this.#isOther = false;
        return isOther;
    }

    /** The floor of a place; what is below all floors counts to the lowest. */
    #floorOf([, , z = 0]) { return (this.#floors.findLast((each) => each.from <= z) ?? this.#floors[0])?.id; }

    /** Whether a place is on the floor that is shown; what has no place is on each. */
    has(place) { return !place || this.#floors.length < 2 || this.#floorOf(place) === this.#floor; }

    /** Whether a wall is on the floor that is shown. */
    hasWall({ bottom = -Infinity, top = Infinity }) {
        const index = this.#floors.findIndex((each) => each.id === this.#floor);
        if (index < 0) return true;
        return bottom < (this.#floors[index + 1]?.from ?? Infinity) && top > this.#floors[index].from;
    }

    /** The parts of a line that are on the floor that is shown. */
    parts(places) {
        const parts = [[]];
        for (const place of places) {
            if (this.has(place)) parts.at(-1).push(place);
            else if (parts.at(-1).length) parts.push([]);
        }
        return parts.filter((part) => part.length > 1);
    }

    #readFloors() {
        const floors = this.#floors;
        byId("floor-choice").hidden = floors.length < 2;
        arrange(this.#choice, floors.map(({ id }) => html("option", { value: id }, id)));
        if (!floors.some(({ id }) => id === this.#floor)) this.#show(floors[0]?.id);
        this.#choice.value = this.#floor ?? "";
        this.#followed = "";
    }

    #follow() {
        const { selected, selection } = this.#model;
        const place = selection && this.#model.position(selection);
        const floor = place && this.#floorOf(place);
        const followed = `${selected?.kind} ${selected?.name} ${floor}`;
        if (followed === this.#followed) return;
        this.#followed = followed;
        if (floor !== undefined) this.#show(floor);
    }

    #show(floor) {
        if (floor === this.#floor) return;
        this.#floor = floor;
        this.#choice.value = floor ?? "";
        this.#isOther = true;
    }

    /**
     * Draws the rooms of the floor.
     * @param project gives the pixels of a place
     * @param width gives the width of a text
     */
    draw(project, width) {
        arrange(this.element, this.#rooms.flatMap((room) => {
            const corners = room.outline.map(project);
            const points = corners.map((each) => each.map((axis) => axis.toFixed(1)).join()).join(" ");
            const doors = room.doors.map((door) => {
                const [[x1, y1], [x2, y2]] = ends(door, room.outline).map(project);
                return svg("line", { x1, y1, x2, y2, class: "door" });
            });
            const name = room.label ?? room.id;
            const across = Math.max(...corners.map(([x]) => x)) - Math.min(...corners.map(([x]) => x));
            const [x, y] = centre(corners);
            const label = across > width(name) + 8
                ? [svg("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle" }, name)] : [];
            return [svg("polygon", { points }), ...doors, ...label];
        }));
    }
}

/** The two ends of a door, on the edge that is nearest to its middle. */
function ends({ at: [x, y], width }, outline) {
    const edges = outline.map((from, index) => {
        const to = outline[(index + 1) % outline.length];
        const [across, up] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(across, up);
        const part = Math.max(0, Math.min(1, ((x - from[0]) * across + (y - from[1]) * up) / length ** 2));
        const distance = Math.hypot(from[0] + part * across - x, from[1] + part * up - y);
        return { distance, direction: [across / length, up / length] };
    });
    const { direction } = edges.reduce((one, two) => (two.distance < one.distance ? two : one));
    return [-1, 1].map((side) => [x + side * direction[0] * width / 2, y + side * direction[1] * width / 2]);
}

/** The centroid of an outline. */
function centre(corners) {
    let [area, x, y] = [0, 0, 0];
    corners.forEach((from, index) => {
        const to = corners[(index + 1) % corners.length], turn = from[0] * to[1] - to[0] * from[1];
        area += turn;
        x += (from[0] + to[0]) * turn;
        y += (from[1] + to[1]) * turn;
    });
    return area ? [x / (3 * area), y / (3 * area)] : corners[0];
}
