/**
 * A driver without a library. The driver returns the same result for every operation.
 *
 *     deno run -A conformance/testdata/null_driver.ts ok|null|error|fault|echo
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { commandLine, exitNow, readInput, writeOut } from "../platform/process.ts";
import { LineSplitter } from "../subject/lines.ts";

const ANSWERS: Readonly<Record<string, (args: unknown) => object>> = {
  ok: () => ({ ok: {} }),
  null: () => ({ ok: null }),
  error: () => ({ error: { code: "invalid_argument", message: "no" } }),
  fault: () => ({ fault: { message: "no" } }),
  echo: (args) => ({ ok: args }),
};

/** Declares every operation that the cases use, so no case is untestable. */
function take(line: string, ops: readonly string[], answer: (args: unknown) => object): void {
  const message = readJson(line)?.value;
  if (!isObject(message)) return;
  const { type, seq, args, op } = message;
  if (type === "bye") exitNow(0);
  if (type === "hello") {
    const implementation = { name: "null driver", version: "0" };
    write({ type: "hello", protocol: 1, implementation, ops });
  }
  if (type !== "op") return;
  const outcome = op === "kit.sync" ? { unsupported: { reason: "no operation" } } : answer(args);
  write({ type: "result", seq, ...outcome });
}

function write(message: object): void {
  writeOut(`${JSON.stringify(message)}\n`);
}

if (import.meta.main) {
  const [mode = "", ...ops] = commandLine();
  const answer = ANSWERS[mode];
  if (answer === undefined) throw new RangeError(`Unknown mode "${mode}"`);
  const lines = new LineSplitter(
    { line: (line) => take(line, ops, answer), overflow: () => exitNow(1) },
    16 * 1024 * 1024,
  );
  readInput((chunk) => lines.push(chunk), () => exitNow(0));
}
