import { assert, assertEquals, assertMatch } from "@std/assert";
import { linesOf } from "./supervisor.ts";

const ROOT = new URL("../../", import.meta.url);

/** Time within which all processes must have ended, in milliseconds. */
const END_MS = 20_000;

function startExample(args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--quiet", "--frozen", "--config"],
      ...["examples/cluster/deno.json", "examples/cluster/main.ts", ...args],
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // The test sends signals to the process group, as a terminal does.
    detached: true,
  }).spawn();
}

Deno.test("20 tasks have one correct response each although 4 processes are killed", async () => {
  const child = startExample(["--tasks", "20", "--chaos", "--kills", "4", "--seed", "1", "--json"]);
  const errors = new Response(child.stderr).text();
  const events: Record<string, unknown>[] = [];
  for await (const line of linesOf(child.stdout)) events.push(JSON.parse(line));
  assertEquals([await errors, (await child.status).code], ["", 0]);
  const killed = events.filter(({ state }) => state === "killed");
  assertEquals(killed.length, 4);
  const { at: _at, effects, repeatedInFlight, ...proof } = events.at(-1) ?? {};
  assertEquals(proof, {
    type: "proof",
    isProven: true,
    tasks: 20,
    responses: 20,
    lost: 0,
    wrong: 0,
    duplicates: 0,
    deadLetters: 0,
    distinctEffects: 60,
    repeatedAfterRecord: 0,
  });
  assertEquals(effects, 60 + Number(repeatedInFlight));
  const verified = events.filter(({ type, receiver }) =>
    type === "message" && receiver === "clerk"
  );
  assert(verified.length >= 40, "the workers receive both messages of each task");
});

for (
  const { signal, toGroup, code, says } of [
    { signal: "SIGINT", toGroup: true, code: 130, says: "Interrupted\n" },
    { signal: "SIGTERM", toGroup: false, code: 130, says: "Interrupted\n" },
    { signal: "SIGKILL", toGroup: false, code: 137, says: "" },
  ] as const
) {
  const target = toGroup ? "the process group" : "the main process";
  Deno.test(`${signal} to ${target} leaves no process`, async () => {
    const child = startExample(["--tasks", "200", "--json"]);
    const errors = new Response(child.stderr).text();
    let processes: readonly number[] = [];
    for await (const line of linesOf(child.stdout)) {
      if (processes.length > 0 || JSON.parse(line).type !== "tool_started") continue;
      processes = await treeOf(child.pid);
      Deno.kill(toGroup ? -child.pid : child.pid, signal);
    }
    assertEquals([await errors, (await child.status).code], [says, code]);
    // Expect the main process, two replicas, three workers, the requester, PostgreSQL and its guard
    // process.
    assert(processes.length >= 9, `${processes.length} processes`);
    await untilEnded(processes);
  });
}

const USAGE_ERRORS: readonly (readonly [readonly string[], RegExp])[] = [
  [["--colour"], /^Unknown option '--colour'\n$/],
  [["20"], /^Unexpected argument '20'\n$/],
  [["--tasks"], /^Option '--tasks <value>' argument missing\n$/],
  [["--tasks", "0"], /^--tasks must be an integer from 1 to 1000, got "0"\n$/],
  [["--tasks", "many"], /^--tasks must be an integer from 1 to 1000, got "many"\n$/],
  [["--kills", "3"], /^--kills requires --chaos\n$/],
  [["--seed", "3"], /^--seed requires --chaos\n$/],
  [["--chaos", "--tasks", "2", "--kills", "5"], /^--kills must be .* from 0 to 4, got "5"\n$/],
];

Deno.test("a wrong argument is reported in one line, with exit code 2", async () => {
  for (const [args, says] of USAGE_ERRORS) {
    const child = startExample(args);
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    assertEquals([code, decoder.decode(stdout)], [2, ""]);
    assertMatch(decoder.decode(stderr), says);
  }
});

Deno.test("--help lists the options", async () => {
  const { code, stdout } = await startExample(["--help"]).output();
  assertEquals(code, 0);
  assertMatch(new TextDecoder().decode(stdout), /--tasks N[^]+--chaos[^]+--web[^]+--json/);
});

/** Returns the identifiers of a process and its descendants. */
async function treeOf(root: number): Promise<readonly number[]> {
  const rows = await listProcesses();
  const found = [root];
  for (const parent of found) {
    found.push(...rows.filter((row) => row.parent === parent).map(({ pid }) => pid));
  }
  return found;
}

/** Waits until processes have ended. */
async function untilEnded(pids: readonly number[]): Promise<void> {
  const end = performance.now() + END_MS;
  for (;;) {
    const left = (await listProcesses()).filter(({ pid }) => pids.includes(pid));
    if (left.length === 0) return;
    const lines = left.map(({ line }) => line).join("\n");
    assert(performance.now() < end, `processes are still running:\n${lines}`);
  }
}

/** Returns the processes that have not exited. */
async function listProcesses() {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="],
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => line.trim())
    .map((line) => ({ line, words: line.split(/\s+/) }))
    .filter(({ words: [, , state = ""] }) => !state.startsWith("Z"))
    .map(({ line, words: [pid, parent] }) => ({ line, pid: Number(pid), parent: Number(parent) }));
}
