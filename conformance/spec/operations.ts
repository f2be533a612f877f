/**
 * Parses the tables of operations in PROTOCOL.md, for the driver skeletons that `parley-kit init`
 * writes.
 *
 * @module
 */

/** An operation of a driver. */
export interface Operation {
  readonly op: string;
  /**
   * The object that the operation is called on. Omitted if the operation is not called on an
   * object.
   */
  readonly on?: string;
  /** Description of the arguments. Omitted if the operation has no arguments. */
  readonly args?: string;
  /** Description of the result's members. Omitted if the result has no members. */
  readonly ok?: string;
}

const TABLE = /^\| op +\| args +\| ok +\|\n.*\n((?:\|.*\n)+)/gm;
const ROW = /^\| (`.+?) +\| (.*?) *\| (.*?) *\|$/;

/**
 * Parses all tables with the columns `op`, `args` and `ok`. A row can describe several operations.
 *
 * @throws {SyntaxError} If a row is malformed.
 */
export function parseOperations(markdown: string): readonly Operation[] {
  const rows = [...markdown.matchAll(TABLE)].flatMap(([, rows = ""]) => rows.trim().split("\n"));
  return rows.flatMap(parseRow);
}

function parseRow(row: string): readonly Operation[] {
  const match = ROW.exec(row);
  if (match === null) throw new SyntaxError(`Cannot parse the operation "${row}"`);
  const [, cell = "", args = "", ok = ""] = match;
  const [names = "", on] = cell.split(" on ", 2);
  const ops = readNames(names);
  // In a row for several operations, a middle dot separates the results if they differ.
  const results = ok.split(/ ?· ?/);
  return ops.map((op, index) => {
    const result = results.length === ops.length ? results[index] : ok;
    return { op, ...(on && { on }), ...(args && { args }), ...(result && { ok: result }) };
  });
}

/**
 * Reads operation names in backticks. A name such as `.pause` takes the prefix of the preceding
 * name.
 */
function readNames(text: string): readonly string[] {
  let prefix = "";
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => {
    const full = name.startsWith(".") ? prefix + name : name;
    prefix = full.slice(0, full.lastIndexOf("."));
    return full;
  });
}
