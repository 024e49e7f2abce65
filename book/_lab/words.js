// Numbers as readers write them, and as they type them.

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

export function powerOfTen(exponent) {
  return "10" + String(exponent).replace(/[-\d]/g, (sign) => RAISED[sign]);
}

/** 0.05, 2,500, 10⁸, 2.5·10⁶, ∞ */
export function readable(value, digits = 3) {
  if (value === Infinity) return "∞";
  if (!Number.isFinite(value)) return "unknown";
  if (value === 0) return "0";
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  const power = Math.floor(Math.log10(size) + 1e-12);
  if (size >= 1e-3 && size < 1e6) {
    if (Number.isInteger(size)) return sign + size.toLocaleString("en");
    const places = Math.max(0, digits - 1 - power);
    return sign + Number(size.toFixed(Math.min(places, 12))).toLocaleString("en", { maximumFractionDigits: 12 });
  }
  const factor = Number((size / 10 ** power).toPrecision(digits));
  if (factor >= 10) return sign + powerOfTen(power + 1);
  return sign + (factor === 1 ? "" : `${factor}·`) + powerOfTen(power);
}

/** A number as typed: 1e5, 100,000, 0.2; NaN for anything else. */
export function typed(text) {
  const plain = text.trim().replace(/[,_\s](?=\d{3}(\D|$))/g, "");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/** A number as a field shows it: what `typed` reads back. */
export function inField(value) {
  return Math.abs(value) >= 1e6 && Number.isInteger(Math.log10(value)) ? `1e${Math.log10(value)}` : String(value);
}

export function duration(seconds) {
  if (seconds < 1) return "under a second";
  if (seconds < 90) return `about ${Math.round(seconds)} s`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 3600)} hours`;
}

export function count(number, word) {
  return `${readable(number)} ${word}${number === 1 ? "" : "s"}`;
}
