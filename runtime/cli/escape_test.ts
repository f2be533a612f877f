import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { RunRecord, RunStatus, RunWait } from "../runs/run_record.ts";
import type { Runs } from "../runs/runs.ts";
import { main } from "../runs_cli.ts";
import { readArguments } from "./arguments.ts";
import { execute } from "./commands.ts";

/** Text with control characters, bidirectional marks, separators and a lone surrogate. */
const TEXT = fc.array(
  fc.constantFrom(
    "\nINJECTED",
    ..."a'\" \r\t\b\x1b[31m\x07\x7f\x80\x85\x9b2J\x9d\u00ad\u200b\u200e\u202e\u2028\u2029\u2066\ufeff\u{e0001}\ud800",
  ),
  { minLength: 1, maxLength: 8 },
).map((characters) => `r${characters.join("")}`);

const WAIT: fc.Arbitrary<RunWait> = fc.tuple(TEXT, TEXT, TEXT).chain(([key, toolName, agent]) => {
  const wait = { key, toolName, path: [agent, agent] };
  return fc.constantFrom<RunWait>(
    { kind: "approval", ...wait, reason: "approval", input: { [key]: agent } },
    { kind: "signal", ...wait },
    { kind: "time", ...wait, due: "2031-01-01T00:00:00.000Z" },
  );
});

const RUN: fc.Arbitrary<RunRecord> = fc.record({
  runId: TEXT,
  agent: TEXT,
  version: TEXT,
  party: TEXT,
  input: TEXT,
  result: fc.record({ finalText: TEXT }),
  error: fc.record({ code: TEXT, message: TEXT }),
  status: fc.constantFrom<RunStatus>("queued", "waiting", "failed", "done"),
  epoch: fc.nat(),
  waitingFor: fc.array(WAIT, { maxLength: 3 }),
  createdAt: fc.constant("2031-01-01T00:00:00.000Z"),
  updatedAt: fc.constant("2031-01-01T00:00:00.000Z"),
});

const RAW = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Returns durable runs that contain one run and one step. */
function runsOf(run: RunRecord, outcome: "conflict" | "stored" | "stored_not_awaited"): Runs {
  const step: JournalEntry = { v: 1, key: run.runId, kind: "tool", value: run.input };
  const runs: unknown = {
    list: () => Promise.resolve([{ ...run, isAccepted: true }]),
    get: () => Promise.resolve(run),
    async *steps() {
      await null;
      yield step;
    },
    signal: () =>
      Promise.resolve(
        outcome === "stored_not_awaited" ? { outcome, waitingFor: run.waitingFor } : { outcome },
      ),
    cancel: () => Promise.resolve(outcome === "stored"),
  };
  // The commands call only these methods.
  return runs as Runs;
}

/** Executes a command, and returns the printed lines. */
async function print(runs: Runs, args: readonly string[]): Promise<string[]> {
  const parsed = readArguments(args, { DATABASE_URL: "runs.db" });
  if (parsed.kind !== "request") throw new Error(JSON.stringify(parsed));
  let printed = "";
  const write = (text: string): void => {
    printed += text;
  };
  const { signal } = new AbortController();
  const output = { out: write, err: write, colors: false, columns: 80, now: 0, signal };
  await execute(runs, parsed.request, output).catch(() => {
    // `main()` escapes the message, see the next test.
  });
  return printed.split("\n");
}

Deno.test("parley-runs prints no control characters and no invisible characters of stored text", async () => {
  await fc.assert(
    fc.asyncProperty(
      RUN,
      TEXT,
      fc.constantFrom("conflict", "stored", "stored_not_awaited"),
      fc.boolean(),
      async (run, key, outcome, isJson) => {
        for (const name of ["list", "show", "steps", "signal", "cancel"]) {
          const rest = { list: ["--limit", "1"], signal: [run.runId, key, "true"] }[name];
          const args = [...isJson ? ["--json"] : [], name, ...rest ?? [run.runId]];
          const lines = await print(runsOf(run, outcome), args);
          assertEquals(lines.filter((line) => RAW.test(line) || line.startsWith("INJECTED")), []);
        }
      },
    ),
    propertyRuns(200),
  );
});

Deno.test("parley-runs escapes errors and arguments", async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, async (text) => {
      const commands = [[text], ["show", text], ["list", "--limit", text], [
        "--database",
        text,
        "list",
      ]];
      for (const args of commands) {
        let printed = "";
        const write = (part: string): void => {
          printed += part;
        };
        await main(args, {
          out: write,
          err: write,
          colors: false,
          columns: 80,
          env: { DATABASE_URL: `postgres://${text}` },
          now: () => 0,
          hasFile: () => false,
          importPgBoss: () => Promise.reject(new Error(text)),
          signal: new AbortController().signal,
        });
        const lines = printed.split("\n");
        assertEquals(lines.filter((line) => RAW.test(line) || line.startsWith("INJECTED")), []);
      }
    }),
    propertyRuns(100),
  );
});
