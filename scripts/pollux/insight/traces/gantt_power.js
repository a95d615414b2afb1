// SPDX-License-Identifier: BSD-3-Clause
// The power of the machine during each run, in a strip below its lanes. A dot is as high as the mean power
// of its stretch of time; where none of that is known, there is a gap.

const POWER = 66; // height of the strip
const [ABOVE, BELOW] = [14, 4]; // of it, around the curve
const [CURVE, AREA] = ["#303030", "#e4e4e2"];

// watts[k] from edges[k] to edges[k + 1], in ns; NaN where it is not known.
async function makePower(power, unit) {
  if (!power) return null;
  const numbers = await unpack(power.packed);
  const edges = Float64Array.from(numbers.subarray(0, power.samples + 1), (time) => time * unit);
  const watts = Float64Array.from(numbers.subarray(power.samples + 1), (n) => (n < 0 ? NaN : n * data.watt_step));
  return { edges, watts, source: power.source };
}

// The interval between samples that contains a time, or -1.
function intervalAt(power, time) {
  let [low, high] = [0, power.edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (power.edges[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low < power.edges.length ? low - 1 : -1;
}

function meansOf(power, columns) {
  const [sums, known] = [new Float64Array(columns), new Float64Array(columns)];
  const scale = columns / span();
  for (let k = Math.max(0, intervalAt(power, view.begin)); k < power.watts.length; k++) {
    if (power.edges[k] >= view.end) break;
    if (Number.isNaN(power.watts[k])) continue;
    const first = Math.max(0, (power.edges[k] - view.begin) * scale);
    const last = Math.min(columns, (power.edges[k + 1] - view.begin) * scale);
    for (let column = Math.floor(first); column < last; column++) {
      const share = Math.min(last, column + 1) - Math.max(first, column);
      sums[column] += share * power.watts[k];
      known[column] += share;
    }
  }
  return sums.map((sum, column) => sum / known[column]);
}

const inWatts = (watts) => (watts < 9999.5 ? `${Number(watts.toPrecision(4))} W` : `${Number((watts / 1000).toPrecision(3))} kW`);

function drawPower(pen, run) {
  if (data.highest === null) return;
  const top = STEPS + run.lane * run.threads + ABOVE;
  const bottom = run.height - BELOW;
  pen.fillStyle = "#5c6067";
  pen.textAlign = "right";
  pen.clearRect(0, top - ABOVE + 2, LEFT, POWER);
  pen.fillText(inWatts(Number(data.highest.toPrecision(3))), LEFT - 7, top);
  pen.fillText("0", LEFT - 7, bottom - 4);
  pen.fillRect(LEFT, bottom, width(run.canvas), 1);
  if (!run.power) {
    pen.textAlign = "left";
    pen.fillText("power not known", LEFT + 6, (top + bottom) / 2);
    return;
  }
  const columns = Math.max(1, Math.round(width(run.canvas) * (devicePixelRatio || 1)));
  const dot = width(run.canvas) / columns;
  const yOf = (watts) => bottom - (bottom - top) * watts / data.highest;
  let last = NaN;
  meansOf(run.power, columns).forEach((watts, column) => {
    const y = yOf(watts);
    if (!Number.isNaN(y)) {
      const before = Number.isNaN(last) ? y : last;
      const [x, from, to] = [LEFT + column * dot, Math.min(y, before), Math.max(y, before)];
      pen.fillStyle = AREA;
      pen.fillRect(x, y, dot, bottom - y);
      pen.fillStyle = CURVE;
      pen.fillRect(x, from - 0.5, dot, to - from + 1);
    }
    last = y;
  });
}

function describePower(run, time) {
  if (!run.power || time < 0 || time > run.region) return "";
  const interval = intervalAt(run.power, time);
  const watts = interval < 0 ? NaN : run.power.watts[interval];
  return `${Number.isNaN(watts) ? "power not known" : inWatts(watts)}\n${run.power.source}, at ${inWords(time)}`;
}
