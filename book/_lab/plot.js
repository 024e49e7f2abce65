// Curves with bands on a pair of axes, drawn as SVG at the size that the page gives.
import { drawing, element } from "./elements.js";
import { powerOfTen, readable } from "./words.js";

const LINE = 15;

/** A plot that follows the width of `host`; `draw` takes {lines, shades, rule, note, x, y}. A `short` one has few and short
 *  names, which stand at the lines also where it is narrow. */
export class Plot {
  constructor(host, describe, short = false) {
    this.host = host;
    this.describe = describe;
    this.short = short;
    this.shown = null;
    new ResizeObserver(() => this.redraw()).observe(host);
  }

  draw(shown) {
    this.shown = shown;
    this.redraw();
  }

  redraw() {
    const width = this.host.clientWidth;
    if (!this.shown || !width) return;
    const broad = width >= 560;
    const wide = broad || this.short;
    const height = broad ? Math.min(400, Math.round(width * 0.46)) : Math.round(width * (this.short ? 0.85 : 0.72));
    const frame = { width, height, left: 52, right: this.short ? 72 : wide ? 168 : 12, top: 22, bottom: 44, wide, letters: this.short ? 8 : 24 };
    this.host.replaceChildren(picture(this.shown, frame, this.describe()));
    if (!wide) this.host.append(legend(this.shown.lines));
  }
}

/** The names of lines, where there is no margin for them. */
function legend(lines) {
  return element("ul", { class: "lab-legend" }, ...lines.map((line) => element("li", {}, swatch(line), element("span", {}, line.label))));
}

/** How a line looks. */
export function swatch({ look, mark: shape }) {
  const svg = drawing("svg", { class: "lab-swatch", viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" },
    drawing("line", { class: `lab-line ${look}`, x1: 0, x2: 28, y1: 6, y2: 6 }));
  if (shape) svg.append(mark(shape, look, 14, 6));
  return svg;
}

function picture(shown, frame, words) {
  const svg = drawing("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, width: frame.width, height: frame.height, role: "img", "aria-label": words });
  const x = axis(shown.x, frame.left, frame.width - frame.right);
  const y = axis(shown.y, frame.height - frame.bottom, frame.top);
  const clip = `lab-clip-${(clips += 1)}`;
  svg.append(
    drawing("clipPath", { id: clip }, drawing("rect", {
      x: frame.left, y: frame.top, width: frame.width - frame.left - frame.right, height: frame.height - frame.top - frame.bottom,
    })),
    ...ticksOf(shown.y, 6).flatMap((at) => [
      drawing("line", { class: "lab-grid", x1: frame.left, x2: frame.width - frame.right, y1: y(at), y2: y(at) }),
      text(frame.left - 7, y(at) + 4, name(at, shown.y), "end"),
    ]),
    ...(shown.x.ticks ?? ticksOf(shown.x, frame.wide ? 8 : 5)).flatMap((at) => [
      drawing("line", { class: "lab-tick", x1: x(at), x2: x(at), y1: frame.height - frame.bottom, y2: frame.height - frame.bottom + 4 }),
      text(x(at), frame.height - frame.bottom + 18, name(at, shown.x), "middle"),
    ]),
    ...(shown.shades ?? []).flatMap((one) => shade(one, y, frame)),
    drawing("line", { class: "lab-axis", x1: frame.left, x2: frame.width - frame.right, y1: frame.height - frame.bottom, y2: frame.height - frame.bottom }),
    text((frame.left + frame.width - frame.right) / 2, frame.height - 8, shown.x.label, "middle", "lab-axis-name"),
    text(2, 10, shown.y.label, "start", "lab-axis-name"),
  );
  if (shown.rule) svg.append(drawing("line", { class: "lab-rule", x1: x(shown.rule), x2: x(shown.rule), y1: frame.top, y2: frame.height - frame.bottom }));
  const curves = drawing("g", { "clip-path": `url(#${clip})` });
  for (const line of shown.lines) if (line.half) curves.append(band(line, x, y, shown.y));
  for (const line of shown.lines) curves.append(curve(line, x, y, shown.y));
  svg.append(curves);
  for (const line of shown.lines) svg.append(...marks(line, x, y, shown.y));
  if (shown.note) svg.append(...noted(shown.note, x, y));
  if (frame.wide) svg.append(...labels(shown, x, y, frame));
  return svg;
}

let clips = 0;

/** The place of a value between two ends, in pixels. */
function axis({ low, high, log }, from, to) {
  const scale = log ? Math.log : (value) => value;
  const [a, b] = [scale(low), scale(high)];
  return (value) => from + ((to - from) * (scale(value) - a)) / (b - a || 1);
}

/** Values at which an axis has numbers: powers of ten, with 2 and 5 where there are few; or round steps. */
export function ticksOf({ low, high, log }, most) {
  if (log) {
    const decades = Math.log10(high / low);
    const factors = decades < 0.4 ? [1, 1.5, 2, 3, 4, 5, 6, 8] : decades < 1.2 ? [1, 2, 5] : [1];
    const step = Math.max(1, Math.ceil(decades / most));
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++) {
      if (power % step === 0) for (const factor of factors) found.push(factor * 10 ** power);
    }
    return found.filter((at) => at >= low * 0.999999 && at <= high * 1.000001);
  }
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high * 1.000001; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function name(at, { log }) {
  const power = Math.round(Math.log10(at));
  const whole = Math.abs(at / 10 ** power - 1) < 1e-9;
  return log && whole && (power > 3 || power < -2) ? powerOfTen(power) : readable(at);
}

function points(line, x, y, { low, log }, shift = () => 0) {
  const found = [];
  for (let i = 0; i < line.t.length; i++) {
    const value = line.value[i] + shift(i);
    if (line.value[i] === null || Number.isNaN(value)) continue;
    found.push(`${x(line.t[i]).toFixed(1)},${y(log ? Math.max(value, low / 1e3) : value).toFixed(1)}`);
  }
  return found;
}

function curve(line, x, y, scale) {
  return drawing("polyline", { class: `lab-line ${line.look}`, points: points(line, x, y, scale).join(" ") });
}

function band(line, x, y, scale) {
  const above = points(line, x, y, scale, (i) => line.half[i]);
  const below = points(line, x, y, scale, (i) => -line.half[i]);
  return drawing("polygon", { class: `lab-band ${line.look}`, points: [...above, ...below.reverse()].join(" ") });
}

/** Shapes on lines of one hue tell them apart. */
function marks(line, x, y, { low, high }) {
  if (!line.mark) return [];
  const inside = line.t.map((t, i) => i).filter((i) => line.value[i] >= low && line.value[i] <= high);
  return [0.2, 0.4, 0.6, 0.8, 1].map((part) => inside[Math.round(part * (inside.length - 1))]).filter((i) => i !== undefined)
    .map((i) => mark(line.mark, line.look, x(line.t[i]), y(line.value[i])));
}

const SHAPES = ["", "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", "M-3.6,-3.6H3.6V3.6H-3.6Z", "M0,-4.6L4.4,3.4H-4.4Z", "M0,-5L5,0L0,5L-5,0Z", "M0,4.6L4.4,-3.4H-4.4Z"];

export function mark(shape, look, x, y) {
  return drawing("path", { class: `lab-mark ${look}`, d: SHAPES[shape % SHAPES.length], transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` });
}

/** A part of the plot that is set apart, with its name. */
function shade({ y: [from, to], words }, y, frame) {
  const top = Math.max(frame.top, y(to));
  const bottom = Math.min(frame.height - frame.bottom, y(from));
  if (bottom - top < 2) return [];
  const area = drawing("rect", { class: "lab-shade", x: frame.left, y: top, width: frame.width - frame.left - frame.right, height: bottom - top });
  return bottom - top < 18 ? [area] : [area, text(frame.width - frame.right - 6, top + 15, words, "end", "lab-axis-name")];
}

/** Words where two lines cross. */
function noted({ at, value, words }, x, y) {
  const dot = drawing("circle", { class: "lab-note", cx: x(at), cy: y(value), r: 3.5 });
  return [dot, text(x(at), y(value) - 9, words, "middle", "lab-noted")];
}

function text(x, y, words, anchor, className = "lab-number") {
  return drawing("text", { x, y, "text-anchor": anchor, class: className }, words);
}

/** Each line's name beside its end; names that would cover each other move apart. */
function labels({ lines, y: scale }, x, y, frame) {
  const named = lines.flatMap((line) => {
    const last = line.value.findLastIndex((value) => value !== null && value >= scale.low && value <= scale.high * 1.0001);
    return last < 0 ? [] : [{ line, words: wrapped(line.label, frame.letters), x: x(line.t[last]), y: y(line.value[last]) }];
  });
  named.sort((a, b) => a.y - b.y);
  const floor = frame.height - frame.bottom;
  let free = frame.top;
  for (const one of named) {
    one.top = Math.max(free, one.y - (one.words.length * LINE) / 2);
    free = one.top + one.words.length * LINE + 2;
  }
  let lowest = floor + 8;
  for (const one of [...named].reverse()) {
    one.top = Math.min(one.top, lowest - one.words.length * LINE);
    lowest = one.top - 2;
  }
  return named.flatMap((one) => {
    const at = frame.width - frame.right + 14;
    const middle = one.top + (one.words.length * LINE) / 2;
    const lead = Math.abs(middle - one.y) > 5
      ? [drawing("polyline", { class: "lab-lead", points: `${one.x + 2},${one.y} ${at - 4},${middle}` })] : [];
    const lines = one.words.map((words, i) => text(at, one.top + LINE * i + 11, words, "start", `lab-label ${one.line.look}`));
    return [...lead, ...lines];
  });
}

function wrapped(words, most) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length + 1 > most) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
