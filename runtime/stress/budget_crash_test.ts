import { assert, assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/budget_worker.ts", import.meta.url).pathname;
const PROCESSES = 4;
/** Number of processes that are killed; the nightly tests use a larger number. */
const KILLS = Math.min(9 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 30);
/** More tokens than the processes that are killed can use. */
const LIMIT = 600 * KILLS;

/** Runs the program. Returns the text on standard output, and the signal that ended the process. */
async function run(...args: readonly (string | number)[]): Promise<[string, string | null]> {
  const { stdout, stderr, signal } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", PROGRAM, ...args.map(String)],
    env: { NO_COLOR: "1" },
  }).output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(errors, "");
  return [text ?? "", signal];
}

function folderForTest(): string {
  return `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-budget-${crypto.randomUUID()}`;
}

Deno.test("sqliteBudgetStore() reports a file that is locked for too long, and continues afterwards", async () => {
  const folder = folderForTest();
  try {
    const file = `"${folder}/budgets.db"`;
    const reason = "locked by another process for 20 ms; close the program that keeps a " +
      'transaction open, or increase "busyTimeoutMs"';
    assertEquals(JSON.parse((await run("locked", folder))[0]), {
      openError: `Cannot open the budgets in ${file}: ${reason}`,
      reserveError: `Cannot write to ${file}: ${reason}`,
      state: { used: 0, reserved: 5 },
    });
  } finally {
    await run("remove", folder);
  }
});

Deno.test("processes that are killed never exceed a stored budget", async () => {
  const folder = folderForTest();
  try {
    let kills = 0;
    // A process that is killed is replaced, so four processes use the budget at any time.
    const crash = async (): Promise<void> => {
      while (kills < KILLS) {
        kills++;
        const [, signal] = await run("work", folder, LIMIT, 1 + kills * 5 % 4);
        assertEquals(signal, "SIGKILL");
      }
    };
    const work = async (): Promise<void> => {
      assertEquals(await run("work", folder, LIMIT, 0), ["", null]);
    };
    await Promise.all(Array.from({ length: PROCESSES }, crash));
    await Promise.all(Array.from({ length: PROCESSES }, work));
    const [counted, spent] = JSON.parse((await run("read", folder))[0]);
    assert(counted <= LIMIT && counted > LIMIT - 100, `${counted} counted`);
    // Each killed process leaves a reservation of 100 for a call that used 60.
    assertEquals(counted - spent, 40 * KILLS);
  } finally {
    await run("remove", folder);
  }
});
