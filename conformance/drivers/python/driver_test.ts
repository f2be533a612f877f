import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../../tools/testing/property.ts";
import type { VectorCase } from "../../kit/case.ts";
import type { JsonObject } from "../../kit/json.ts";
import { describeFailure, Verdict } from "../../kit/verdict.ts";
import { run } from "../../runner/run.ts";
import { isLeftOut, isLeftOutName } from "./left_out.ts";
import { type Driver, startDriver } from "../../subject/driver.ts";
import { type ProcessGroups, watchProcessGroups } from "../../subject/process_groups.ts";
import { loadSuite } from "../../suite.ts";
import { COMM_PART } from "../typescript/comm.ts";
import { Handles, isFields } from "../typescript/operation.ts";
import { toErrorOutcome } from "../typescript/error_outcome.ts";

const COMMAND = ["python3", new URL("./driver.py", import.meta.url).pathname];

async function hasCryptography(): Promise<boolean> {
  try {
    const python = new Deno.Command("python3", { args: ["-c", "import cryptography"] });
    return (await python.output()).success;
  } catch {
    // Python is not installed.
    return false;
  }
}

const isAvailable = await hasCryptography();
const skipped = isAvailable
  ? ""
  : " (skipped: python3 with the cryptography package is not installed)";

Deno.test({
  name: `the Python driver passes every comm case that needs no optional feature${skipped}`,
  ignore: !isAvailable,
  async fn() {
    const { results } = await run({
      subject: { driver: { command: COMMAND } },
      select: { libraries: ["comm"] },
    });
    const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass)
      .map((result) => `${result.id}: ${describeFailure(result)}`);
    assertEquals(failed.filter((text) => !isLeftOut(text)), []);
  },
});

/** Operations whose result depends only on the text arguments. */
const COMPARED: ReadonlySet<string> = new Set([
  "comm.did.decode",
  "comm.did.webUrl",
  "comm.jws.verify",
  "comm.message.decode",
  "comm.message.equals",
  "comm.message.payload",
  "comm.message.verify",
  "comm.negotiation.read",
  "comm.proof.verify",
  "comm.protocol.parse",
]);
const INPUTS = [...loadSuite().values()]
  .filter((each): each is VectorCase => each.kind === "vector" && COMPARED.has(each.op))
  .filter(({ needs }) => needs?.features?.some(isLeftOutName) !== true)
  .flatMap(({ op, rows }) => rows.map(({ input }) => ({ op, input })));
const TOKENS = ['"', "{", "}", "[", "]", ",", ":", "\\", "\\u0041", "\\ud800", "\\ud83d\\ude00"]
  .concat([
    "1e400",
    "-0",
    "00",
    "9007199254740993",
    "null",
    " ",
    "\n",
    "\u00a0",
    "\ufeff",
    "\u00e9",
  ])
  .concat(["Z", "+00:00", "-00:00", "t", "_", "=", "%3A", "#", "/", ".", "A", "9", "\ud800", ""]);

interface Edit {
  readonly at: number;
  /** Replacement text. If `undefined`, the edit flips the case of one letter. */
  readonly token: string | undefined;
  readonly drop: number;
}

const EDIT: fc.Arbitrary<Edit> = fc.record({
  // `fc.double()` is not uniform: it would place most edits at the start of the text.
  at: fc.nat(99_999).map((n) => n / 100_000),
  token: fc.option(fc.constantFrom(...TOKENS), { nil: undefined, freq: 3 }),
  drop: fc.constantFrom(0, 1, 1, 5),
});
const CHANGED_INPUT = fc.record({
  base: fc.constantFrom(...INPUTS),
  edits: fc.array(EDIT, { minLength: 1, maxLength: 3 }),
}).map(({ base: { op, input }, edits }) => ({ op, input: edits.reduce(change, input) }));

/** Edits one string argument that untrusted senders control, such as a DID or a message. */
function change(input: JsonObject, { at, token, drop }: Edit): JsonObject {
  const names = Object.keys(input).filter((name) => /^(text|did|.*Text)$/.test(name));
  const name = names[Math.floor(at * 997) % names.length];
  const text = name === undefined ? undefined : input[name];
  if (name === undefined || typeof text !== "string") return input;
  const start = Math.floor(at * (text.length + 1));
  const removed = text.slice(start, start + (token === undefined ? 1 : drop));
  const written = token ?? swapCase(removed);
  return { ...input, [name]: text.slice(0, start) + written + text.slice(start + removed.length) };
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

/**
 * Removes the parts of a result in which correct implementations can differ. If a message has
 * several errors, the specification does not define which error is reported.
 */
function summarize(outcome: object): unknown {
  if ("error" in outcome) return "refused";
  if (!("ok" in outcome) || !isFields(outcome.ok)) return outcome;
  const { reason: _any, covered, ...rest } = outcome.ok;
  return JSON.parse(
    JSON.stringify(Array.isArray(covered) ? { ...rest, covered: covered.toSorted() } : rest),
  );
}

async function askOurs(op: string, args: JsonObject): Promise<unknown> {
  const call = {
    args,
    on: undefined,
    signal: new AbortController().signal,
    handles: new Handles(),
    host: { call: () => Promise.reject(new Error("no host")), event: () => {} },
  };
  try {
    return summarize({ ok: await COMM_PART.ops[op]?.(call) });
  } catch (error) {
    return summarize(toErrorOutcome(error));
  }
}

async function withPython(act: (driver: Driver) => Promise<void>): Promise<void> {
  const groups: ProcessGroups = await watchProcessGroups();
  try {
    const how = { command: COMMAND, groups, helloMs: 10_000, seed: 1, kitVersion: "0.1.0" };
    const driver = await startDriver(how);
    await act(driver).finally(() => driver.close());
  } finally {
    await groups.close();
  }
}

Deno.test({
  name: `the Python driver and @parley/comm return equal results for mutated inputs${skipped}`,
  ignore: !isAvailable,
  fn: () =>
    withPython(async (driver) => {
      await fc.assert(
        fc.asyncProperty(CHANGED_INPUT, async ({ op, input }) => {
          // The specification does not define which internationalized names are invalid
          // (COMM-DID-7).
          fc.pre(op !== "comm.did.webUrl" || !JSON.stringify(input).includes("xn--"));
          const { outcome } = driver.start(op, { args: input, deadlineMs: 5000 });
          assertEquals(await askOurs(op, input), summarize(await outcome), op);
        }),
        propertyRuns(1000),
      );
    }),
});

for (
  const [op, args] of [
    ["comm.jws.sign", { valueText: "null", seedHex: "00".repeat(32) }],
    ["comm.jws.verify", { valueText: "null", jws: { protected: "", signature: "" } }],
    ["comm.message.new", { initText: "null" }],
    ["comm.a2a.sign", {
      requestText: "null",
      seedHex: "00".repeat(32),
      recipient: "did:example:b",
    }],
  ] as const
) {
  Deno.test(`${op} of our driver does not read null as an empty object`, async () => {
    assertEquals(await askOurs(op, args), "refused");
  });
}
