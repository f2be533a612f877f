/**
 * Formats case files. The text depends only on the values in a file, so that two authors write the
 * same text for the same cases, and the difference between two versions of a file shows only what
 * changed.
 *
 * - The text is ASCII: all other characters are escaped, because editors and tools can change them.
 * - The members of the file, of its defaults, of cases, rows and steps are in a fixed order. All
 *   other objects keep their order.
 * - The file, the list of cases, each case, `rows`, `turns` and `steps` have one item or member per
 *   line.
 * - Each other array or object is on one line if it fits in 100 columns, and otherwise has one item
 *   or member per line. On a line that is indented by more than 50 columns, it is always on one
 *   line, because indentation would be most of the text of a deeply nested value.
 *
 * @module
 */

import { isList, type JsonObject, type JsonValue } from "./json.ts";

const WIDTH = 100;
const MAX_INDENT = 50;

/** Members of a case in their order, without the members that its kind adds. */
const HEADER = [
  "id",
  "aliases",
  "title",
  "level",
  "basis",
  "clauses",
  "refs",
  "why",
  "source",
  "state",
  "since",
  "until",
  "revisions",
  "needs",
  "flags",
  "control",
  "kind",
  "role",
  "rule",
  "except",
];

/** Part of a file. A `value` is everything whose members have no fixed order. */
type Part =
  | "file"
  | "defaults"
  | "cases"
  | "case"
  | "rows"
  | "row"
  | "turns"
  | "turn"
  | "steps"
  | "step"
  | "value";

/**
 * Order of the members of each part. Members that a list does not contain follow in their own
 * order.
 */
const ORDERS: Readonly<Partial<Record<Part, readonly string[]>>> = {
  file: ["$schema", "kit", "defaults", "values", "cases"],
  defaults: HEADER,
  case: [
    ...HEADER,
    "session",
    "isolation",
    "timing",
    "op",
    "input",
    "expect",
    "intermediate",
    "rows",
    "api",
    "turns",
    "host",
    "steps",
  ],
  turn: ["expect", "optional", "hold", "reply"],
  row: ["name", "input", "expect"],
  step: [
    "do",
    "start",
    "await",
    "request",
    "drive",
    "accept",
    "on",
    "args",
    "to",
    "id",
    "as",
    "withinMs",
    "forMs",
    "optional",
    "expect",
  ],
};

/** Part that each member of a part is. All other members are values. */
const MEMBERS: Readonly<Partial<Record<Part, Readonly<Record<string, Part>>>>> = {
  file: { cases: "cases", defaults: "defaults" },
  case: { rows: "rows", turns: "turns", steps: "steps" },
  step: { steps: "steps" },
};

/** Part that each item of a list is. */
const ITEMS: Readonly<Partial<Record<Part, Part>>> = {
  cases: "case",
  rows: "row",
  turns: "turn",
  steps: "step",
};

/** Parts that always have one item or member per line. */
const BROKEN: ReadonlySet<Part> = new Set<Part>([
  "file",
  "cases",
  "case",
  "rows",
  "turns",
  "steps",
]);

/** Position in the text where a value begins. */
interface Place {
  readonly part: Part;
  /** Indentation of the line. */
  readonly indent: number;
  /** Length of the member name before the value. */
  readonly lead: number;
}

/** Formats a case file, which need not be valid. */
export function formatCaseFile(file: JsonObject): string {
  return `${format(file, { part: "file", indent: 0, lead: 0 })}\n`;
}

function format(value: JsonValue, { part, indent, lead }: Place): string {
  const line = formatLine(value, part);
  if (typeof value !== "object" || value === null || line === "[]" || line === "{}") return line;
  // The text must also have space for a comma.
  const fits = indent + lead + line.length < WIDTH || indent > MAX_INDENT;
  if (!BROKEN.has(part) && fits) return line;
  const pad = " ".repeat(indent + 2);
  const parts = isList(value)
    ? value.map((item) => format(item, { part: partOfItem(part), indent: indent + 2, lead: 0 }))
    : sortMembers(value, part).map(([name, member]) => {
      const key = `${quote(name)}: `;
      const place = { part: partOfMember(part, name), indent: indent + 2, lead: key.length };
      return key + format(member, place);
    });
  const [open, close] = isList(value) ? "[]" : "{}";
  return `${open}\n${parts.map((each) => pad + each).join(",\n")}\n${" ".repeat(indent)}${close}`;
}

function formatLine(value: JsonValue, part: Part): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) {
    // JSON.stringify() writes 0 for minus zero.
    return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  }
  if (isList(value)) {
    return `[${value.map((item) => formatLine(item, partOfItem(part))).join(", ")}]`;
  }
  const members = sortMembers(value, part).map(([name, member]) =>
    `${quote(name)}: ${formatLine(member, partOfMember(part, name))}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function partOfMember(part: Part, name: string): Part {
  const members = MEMBERS[part] ?? {};
  return Object.hasOwn(members, name) ? members[name] ?? "value" : "value";
}

function partOfItem(part: Part): Part {
  return ITEMS[part] ?? "value";
}

function sortMembers(value: JsonObject, part: Part): readonly (readonly [string, JsonValue])[] {
  const order = ORDERS[part] ?? [];
  const rankOf = (name: string): number => {
    const rank = order.indexOf(name);
    return rank < 0 ? order.length : rank;
  };
  return Object.entries(value).toSorted(([a], [b]) => rankOf(a) - rankOf(b));
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
