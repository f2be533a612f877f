/**
 * Formats case files: ASCII JSON, indented by two spaces, with short values on one line.
 *
 * @module
 */

import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";

const WIDTH = 100;

/** A generated case file. */
export interface GeneratedFile {
  /** Path relative to `cases/`. */
  readonly path: string;
  readonly area: string;
  readonly source: string;
  readonly cases: readonly JsonObject[];
}

/** Formats a case file. */
export function formatCaseFile({ area, source, cases }: GeneratedFile): string {
  const file = { $schema: "../../schemas/case.schema.json", kit: 1, area, source, cases };
  return `${format(file, 0, WIDTH)}\n`;
}

function format(value: JsonValue, indent: number, lead: number): string {
  const line = formatLine(value);
  if (indent + lead + line.length < WIDTH || typeof value !== "object" || value === null) {
    return line;
  }
  const pad = " ".repeat(indent + 2);
  const parts = Array.isArray(value)
    ? value.map((item) => format(item, indent + 2, 0))
    : Object.entries(value).map(([name, member]) => {
      const key = `${quote(name)}: `;
      return key + format(member, indent + 2, key.length);
    });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.map((part) => pad + part).join(",\n")}\n${" ".repeat(indent)}${close}`;
}

function formatLine(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(formatLine).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) =>
    `${quote(name)}: ${formatLine(member)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Escapes non-ASCII characters so that editors and tools cannot change them. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
