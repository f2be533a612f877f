import { assert, assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/replay_worker.ts", import.meta.url).pathname;

/** Number of times that the test kills a process; the nightly tests use a larger number. */
const KILLS = Math.min(8 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 40);
const MESSAGES = 5 * KILLS;
/** Time between two rounds, in milliseconds: longer than a reservation lasts. */
const ROUND_MS = 2000;

/** Runs the program. Returns the signal that ended the process. */
async function run(...args: readonly (string | number)[]): Promise<string | null> {
  const { stderr, signal } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", PROGRAM, ...args.map(String)],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return signal;
}

async function readLog(folder: string): Promise<readonly string[]> {
  return (await Deno.readTextFile(`${folder}/log`)).split("\n").slice(0, -1);
}

Deno.test("SqliteReplayStore loses no message and accepts none twice when its process is killed", async () => {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-replay-${crypto.randomUUID()}`;
  try {
    let read = 0;
    const committed = new Set<string>();
    for (let kill = 1; kill <= KILLS + 1; kill++) {
      const isLast = kill > KILLS;
      // A killed process and another process accept the same messages.
      const accept = (killAt: number) =>
        run("accept", folder, isLast ? MESSAGES : 5 * kill, kill * ROUND_MS, killAt);
      const signals = await Promise.all([accept(isLast ? 0 : 1 + kill % 4), accept(0)]);
      assertEquals(signals, [isLast ? null : "SIGKILL", null]);
      const lines = (await readLog(folder)).slice(read).map((line) => line.split(" "));
      read += lines.length;
      const reserved = new Set<string>();
      for (const [event, id = ""] of lines) {
        if (event === "committed") committed.add(id);
        else assert(!committed.has(id) && !reserved.has(id), `${id} was reserved again`);
        if (event === "reserved") reserved.add(id);
      }
    }
    const lines = await readLog(folder);
    const ids = Array.from({ length: MESSAGES }, (_, index) => `m${index}`);
    assertEquals(ids.filter((id) => !lines.includes(`reserved ${id}`)), []);
    // A process that is killed after a commit cannot log it.
    assert(committed.size >= MESSAGES - KILLS, `${committed.size} messages were committed`);
    await run("accept", folder, MESSAGES, (KILLS + 2) * ROUND_MS, 0);
    assertEquals(await readLog(folder), lines, "each message was committed");
  } finally {
    await run("remove", folder);
  }
});
