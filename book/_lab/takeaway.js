// What a reader takes away: words on the clipboard, a file.
import { element } from "./elements.js";

/** Put words on the clipboard; say whether that was allowed. */
export async function copyText(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    const area = element("textarea", { readonly: true, class: "lab-hidden" });
    area.value = words;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** Save rows of text and numbers as a CSV file. */
export function saveCsv(name, rows) {
  const cell = (value) => (typeof value === "string" && /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value === Infinity ? "inf" : value);
  const text = rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
