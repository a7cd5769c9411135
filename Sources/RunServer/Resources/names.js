// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Where names are beside their marks: as near as they have room, else farther away, with a line.

/** Beside a mark: x, y and anchor. */
const NEAR = [
    [0, 23, "middle"], [0, -14, "middle"], [13, 4, "start"], [-13, 4, "end"], [10, 19, "start"], [-10, 19, "end"],
    [10, -11, "start"], [-10, -11, "end"],
];
/** Farther away, in pixels, in this many directions. */
const RINGS = [34, 50, 68, 88, 110];
const DIRECTIONS = 16;

/**
 * The first place of a name that has room; `undefined` for none.
 * @param mark with `at`, its pixels, and `width`, the width of its name
 * @param fits whether a box has room
 * @param box the box of a text at a place, of a width and with an anchor
 * @returns x and y relative to the mark, the anchor, the box, and the path of a line to the mark, if there is one
 */
export function namePlace(mark, fits, box) {
    const [left, top] = mark.at;
    for (const [x, y, anchor] of NEAR) {
        const found = box(left + x, top + y, mark.width, anchor);
        if (fits(found)) return { x, y, anchor, box: found };
    }
    for (const distance of RINGS) for (let step = 0; step < DIRECTIONS; step += 1) {
        const angle = 2 * Math.PI * step / DIRECTIONS, [across, down] = [Math.cos(angle), Math.sin(angle)];
        const [x, y] = [across * distance, down * distance + 4];
        const anchor = Math.abs(across) < 0.3 ? "middle" : across > 0 ? "start" : "end";
        const found = box(left + x, top + y, mark.width, anchor);
        if (!fits(found)) continue;
        return {
            x, y, anchor, box: found,
            leader: `M${(across * 9).toFixed(1)} ${(down * 9).toFixed(1)}L${(across * (distance - 4)).toFixed(1)} `
                + `${(down * (distance - (Math.abs(across) < 0.3 ? 10 : 4))).toFixed(1)}`,
        };
    }
    return undefined;
}
