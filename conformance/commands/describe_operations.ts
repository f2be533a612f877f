/**
 * The list of operations in a driver skeleton.
 *
 * @module
 */

import operations from "../spec/operations.json" with { type: "json" };

const MAX_LINE = 100;
const LABELS = { args: "  args: ", ok: "  ok:   " } as const;

/** Describes the operations as PROTOCOL.md does, in lines for a comment. */
export function describeOperations(ops: readonly string[]): readonly string[] {
  return ops.flatMap((op) => {
    const found = operations.filter((each) => each.op === op);
    if (found.length === 0) return [op];
    return found.flatMap(({ op, on, args, ok }) => [
      on === undefined ? op : `${op} on ${on}`,
      ...wrap(LABELS.args, args),
      ...wrap(LABELS.ok, ok),
    ]);
  });
}

/** Splits text into lines. All lines after the first are indented by the width of the label. */
function wrap(label: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const lines: string[] = [];
  let line = label;
  for (const word of text.split(" ")) {
    if (line.length + word.length > MAX_LINE && line.length > label.length) {
      lines.push(line.trimEnd());
      line = " ".repeat(label.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
