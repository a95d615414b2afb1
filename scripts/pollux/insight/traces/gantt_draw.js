// SPDX-License-Identifier: BSD-3-Clause
// Draws the runs: lanes of threads, the steps above them, and what the reader points at.
//
// A dot of a lane has the average colour of its stretch of time, idle time white, however many events
// there are: nothing is hidden by what is drawn over it. Where most events are narrower than a dot, a
// column of dots shows the kernels' shares of its time, idle on top.

function prepare(canvas, height) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, canvas.clientWidth, height);
  pen.font = FONT;
  pen.textBaseline = "middle";
  return pen;
}

// Rows of dots for each lane: several where events are so narrow that columns show shares.
function rowsOf(run, columns) {
  const height = Math.round(run.lane * (devicePixelRatio || 1));
  if (height < FEWEST_ROWS) return 1;
  const begin = view.begin / run.unit;
  const end = view.end / run.unit;
  let [time, count] = [0, 0];
  for (let thread = 0; thread < run.threads; thread++)
    for (let e = firstAfter(run, thread, begin); e < run.first[thread + 1] && run.start[e] < end; e++) {
      time += run.end[e] - run.start[e];
      count++;
    }
  return time * columns < NARROW * count * (end - begin) ? height : 1;
}

// What share of each dot's time each kernel has, in one lane.
function sharesOf(run, thread, columns, shares) {
  const scale = columns / span() * run.unit;
  const begin = view.begin / run.unit;
  shares.fill(0);
  for (let e = firstAfter(run, thread, begin); e < run.first[thread + 1]; e++) {
    const first = Math.max(0, (run.start[e] - begin) * scale);
    if (first >= columns) break;
    const last = Math.min(columns, (run.end[e] - begin) * scale);
    const kernel = shown(run, e) ? run.kernel[e] : inks.length - 1;
    for (let column = Math.floor(first); column < last; column++)
      shares[column * inks.length + kernel] += Math.min(last, column + 1) - Math.max(first, column);
  }
}

// Each step rounds, by half a level of 255 at most: not to be seen.
function mixInto(pixels, at, ink, share) {
  for (let c = 0; c < 3; c++) pixels[at + c] += share * (ink[c] - 255);
}

function laneImage(run, columns) {
  const rows = rowsOf(run, columns);
  const image = new ImageData(columns, run.threads * rows);
  const pixels = image.data.fill(255);
  const shares = new Float32Array(columns * inks.length);
  for (let thread = 0; thread < run.threads; thread++) {
    sharesOf(run, thread, columns, shares);
    for (let column = 0; column < columns; column++) {
      const own = column * inks.length;
      let below = 0; // the share of the kernels so far, updates first, as they stand from the ground
      for (let kernel = inks.length - 1; kernel >= 0; kernel--) {
        const share = shares[own + kernel];
        if (share === 0) continue;
        const [from, to] = [Math.round(below * rows), Math.round((below + share) * rows)];
        below += share;
        if (rows === 1) mixInto(pixels, 4 * (columns * thread + column), inks[kernel], share);
        else for (let row = from; row < Math.min(rows, to); row++)
          pixels.set(inks[kernel], 4 * (columns * (rows * thread + rows - 1 - row) + column));
      }
    }
  }
  return [image, rows];
}

function drawSteps(pen, run) {
  const most = run.spans.length ? run.spans.at(-1)[0] + 1 : 1;
  const height = (STEPS - 12) / most;
  for (const [step, [start, end]] of run.spans) {
    const [x, right] = [toX(run.canvas, start), toX(run.canvas, end)];
    pen.fillStyle = step < view.from || step > view.to ? "#e9e9e6" : SHADES[step % 2];
    pen.fillRect(x, 4 + step * height, right - x, Math.max(height, 1));
  }
}

function drawLanes(pen, run) {
  const scale = devicePixelRatio || 1;
  const columns = Math.max(1, Math.round(width(run.canvas) * scale));
  const [image, rows] = laneImage(run, columns);
  const hidden = document.createElement("canvas");
  [hidden.width, hidden.height] = [columns, run.threads * rows];
  hidden.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(hidden, LEFT, STEPS, width(run.canvas), run.lane * run.threads);
  if (run.lane > (rows > 1 ? 12 : 6)) {
    pen.fillStyle = rows > 1 ? "#b0b0b0" : "#fff"; // idle time is next to it where rows are shares
    const right = Math.min(LEFT + width(run.canvas), toX(run.canvas, run.region));
    for (let t = 1; t < run.threads && right > LEFT; t++) pen.fillRect(LEFT, STEPS + t * run.lane - 0.5, right - LEFT, 1);
  }
  pen.strokeStyle = "#b0b0b0";
  pen.strokeRect(toX(run.canvas, 0), STEPS - 0.5, toX(run.canvas, run.region) - toX(run.canvas, 0), run.lane * run.threads + 1);
}

// A line for each message, from where it was sent to where it came; and one between ranks.
function drawMessages(pen, run) {
  const { messages } = run;
  if (!messages) return;
  pen.fillStyle = pen.strokeStyle = "#000";
  for (const lane of messages.ranks)
    pen.fillRect(LEFT, STEPS + lane * run.lane - 0.5, toX(run.canvas, run.region) - LEFT, 1);
  const visible = [];
  for (let m = 0; m < messages.count; m++)
    if (messages.received[m] * run.unit > view.begin && messages.sent[m] * run.unit < view.end) visible.push(m);
  if (visible.length > ARROWS) return;
  const end = (m, time, lane) => [toX(run.canvas, time[m] * run.unit), STEPS + (lane[m] + 0.5) * run.lane];
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, 0, width(run.canvas), run.height);
  pen.clip();
  pen.beginPath();
  for (const m of visible) {
    const [x, y] = end(m, messages.received, messages.to);
    pen.moveTo(...end(m, messages.sent, messages.from));
    pen.lineTo(x, y);
    pen.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
  pen.globalAlpha = 0.6;
  pen.stroke();
  pen.restore();
}

// The step on the panel kernels that are wide enough.
function drawNumbers(pen, run) {
  if (run.lane < 13) return;
  pen.fillStyle = "#000";
  pen.textAlign = "center";
  const begin = view.begin / run.unit;
  for (let thread = 0; thread < run.threads; thread++) {
    for (let e = firstAfter(run, thread, begin); e < run.first[thread + 1] && run.start[e] * run.unit < view.end; e++) {
      if (!run.panels.has(e)) continue;
      const left = Math.max(LEFT, toX(run.canvas, run.start[e] * run.unit));
      const right = Math.min(LEFT + width(run.canvas), toX(run.canvas, run.end[e] * run.unit));
      const text = String(run.step[e]);
      if (right - left > 7 * text.length + 4) pen.fillText(text, (left + right) / 2, STEPS + (thread + 0.5) * run.lane + 1);
    }
  }
}

function drawLabels(pen, run) {
  pen.clearRect(0, 0, LEFT, run.height);
  pen.fillStyle = "#5c6067";
  pen.textAlign = "right";
  pen.fillText("step", LEFT - 7, STEPS / 2 - 4);
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(14 / run.lane)));
  for (let t = 0; t < run.threads; t += every) pen.fillText(laneName(run, t), LEFT - 7, STEPS + (t + 0.5) * run.lane + 1);
  if (run.submitted > 0 && run.submitted >= view.begin && run.submitted <= view.end) {
    const [x, y] = [toX(run.canvas, run.submitted), STEPS + run.submitter * run.lane];
    pen.fillStyle = "#000";
    pen.beginPath();
    pen.moveTo(x, y + 1);
    pen.lineTo(x - 4, y - 6);
    pen.lineTo(x + 4, y - 6);
    pen.fill();
  }
}

function drawPointed(pen, run) {
  const { pointed, drag } = view;
  if (drag && drag.moved && !drag.shift) {
    const [a, b] = [drag.from, drag.to].map((time) => toX(run.canvas, time)).sort((p, q) => p - q);
    pen.fillStyle = "#0b66a833";
    pen.fillRect(a, 0, b - a, run.height);
  }
  if (!pointed) return;
  pen.fillStyle = "#0007";
  pen.fillRect(toX(run.canvas, pointed.time) - 0.5, 0, 1, run.height);
  if (pointed.run !== run || pointed.event < 0) return;
  const [x, right] = [run.start, run.end].map((column) => toX(run.canvas, column[pointed.event] * run.unit));
  pen.strokeStyle = "#000";
  pen.lineWidth = 1.5;
  pen.strokeRect(x, STEPS + pointed.thread * run.lane + 0.75, Math.max(1, right - x), Math.max(1, run.lane - 1.5));
  pen.lineWidth = 1;
}

const UNITS = [[2e9, 1e9, "s"], [2e6, 1e6, "ms"], [2e3, 1e3, "µs"], [0, 1, "ns"]];
const unitOf = (ns) => UNITS.find(([least]) => ns >= least);
function inWords(ns) {
  const [, size, name] = unitOf(Math.abs(ns));
  return `${Number((ns / size).toPrecision(4))} ${name}`;
}

function drawAxis() {
  const pen = prepare(axis, 40);
  const [, size, name] = unitOf(span());
  const rough = span() / size / Math.max(2, width(axis) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const gap = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) * power;
  const places = Math.max(0, 1 - Math.floor(Math.log10(gap)));
  pen.fillStyle = "#1d1f23";
  pen.textAlign = "center";
  pen.fillRect(LEFT, 2, width(axis), 1);
  for (let n = Math.ceil(view.begin / size / gap); n * gap * size <= view.end; n++) {
    const x = toX(axis, n * gap * size);
    pen.fillRect(x - 0.5, 2, 1, 5);
    pen.fillText(String(Number((n * gap).toFixed(places))), x, 15);
  }
  pen.fillText(`time (${name})`, LEFT + width(axis) / 2, 31);
}

function draw() {
  for (const run of runs) {
    const pen = prepare(run.canvas, run.height);
    drawSteps(pen, run);
    drawLanes(pen, run);
    drawMessages(pen, run);
    drawNumbers(pen, run);
    drawLabels(pen, run);
    drawPower(pen, run);
    run.picture = null;
  }
  drawAxis();
  overlay();
}

// What follows the pointer is drawn over a copy of the rest.
function overlay() {
  for (const run of runs) {
    const pen = run.canvas.getContext("2d");
    if (!run.picture) {
      run.picture = document.createElement("canvas");
      [run.picture.width, run.picture.height] = [run.canvas.width, run.canvas.height];
      run.picture.getContext("2d").drawImage(run.canvas, 0, 0);
    } else {
      pen.save();
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, run.canvas.width, run.canvas.height);
      pen.drawImage(run.picture, 0, 0);
      pen.restore();
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width(run.canvas), run.height);
    pen.clip();
    drawPointed(pen, run);
    pen.restore();
  }
}
