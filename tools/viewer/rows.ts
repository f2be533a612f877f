/**
 * The rows of a timeline, and readers for untrusted values.
 *
 * @module
 */

/** Maximum number of rows. Rows beyond the maximum are counted but not shown. */
export const MAX_ROWS = 5000;

/** Maximum length of the strings that {@linkcode textOf} returns. */
const MAX_TEXT = 2000;

/** Kinds of rows. */
export type Kind = "run" | "model" | "tool" | "approval" | "message" | "note";

/** Members of an untrusted object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A row of the timeline. */
export interface Row {
  readonly id: string;
  readonly kind: Kind;
  readonly parent?: Row;
  readonly name: string;
  readonly detail: string;
  /** Time in milliseconds since the Unix epoch. */
  readonly start: number;
  /** Time at which the step ended, or absent while the step is in progress. */
  readonly end?: number | undefined;
  readonly verdict?: "good" | "bad" | undefined;
  /** Text in place of the duration. */
  readonly status?: string | undefined;
  readonly facts: ReadonlyMap<string, string>;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** A bounded collection of rows that tracks changes. */
export class Rows {
  readonly #rows = new Map<string, Row>();
  /** Rows that changed since the page was last drawn; drawing the page removes them. */
  readonly changed: Set<Row> = new Set();
  /** Number of rows beyond {@linkcode MAX_ROWS}. */
  hidden = 0;

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** All rows, oldest first. */
  get all(): Row[] {
    return [...this.#rows.values()];
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Returns the row with the given id. Creates the row if it does not exist. */
  open(
    id: string,
    first: Pick<Row, "kind" | "name" | "start"> & { parent?: Row | undefined },
  ): Row {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const { parent, ...more } = first;
    const row: Row = { id, detail: "", facts: new Map(), ...more, ...parent && { parent } };
    if (this.#rows.size < MAX_ROWS) this.#rows.set(id, row);
    else this.hidden += 1;
    this.change(row, {});
    return row;
  }

  /** Changes members of a row, and adds the members of `facts` that are not empty. */
  change(row: Row, members: Partial<Omit<Row, "facts">>, facts: Fields = {}): void {
    const texts = Object.entries(facts).map(([name, value]) => [name, textOf(value)] as const);
    const added = new Map([...row.facts, ...texts.filter(([, text]) => text !== "")]);
    Object.assign(row, members, { facts: added });
    if (this.#rows.get(row.id) === row) this.changed.add(row);
  }
}

/** Returns the members of an object, or an empty object for any other value. */
export function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
}

/** Returns a finite number, or 0. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Returns text of limited length. Objects are converted to JSON text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? formatJson(value) : String(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Returns a value as JSON text. */
export function formatJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    // Values in a log can be nested so deeply that the stack overflows.
    return "(nested too deeply)";
  }
}

/** Returns the values of an object in one line. */
export function summaryOf(value: unknown): string {
  return Object.values(fieldsOf(value)).map(textOf).join(" · ");
}
