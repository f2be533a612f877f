import { assert, assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/session_worker.ts", import.meta.url).pathname;

/** Number of times that each test kills a process; the nightly tests use a larger number. */
const KILLS = Math.min(9 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 30);

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Runs the program. Returns the text on standard output, and the signal that ended the process. */
async function run(...args: readonly (string | number)[]): Promise<[string, string | null]> {
  const { stdout, stderr, signal } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", PROGRAM, ...args.map(String)],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(textOf(stderr), "");
  return [textOf(stdout), signal];
}

/** Calls a test with a folder that does not exist yet, and removes the folder afterwards. */
async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-sessions-${crypto.randomUUID()}`;
  try {
    await test(folder);
  } finally {
    await run("remove", folder);
  }
}

async function readLog(folder: string): Promise<readonly string[]> {
  const text = await Deno.readTextFile(`${folder}/log`).catch(() => "");
  return text.split("\n").slice(0, -1);
}

/** Returns the text of each message, or the output of its tool result. */
async function readSession(folder: string): Promise<readonly (readonly [string, unknown])[]> {
  const messages: readonly {
    readonly role: string;
    readonly content: readonly { readonly text?: string; readonly output?: { value: unknown } }[];
  }[] = JSON.parse((await run("read", folder))[0]);
  return messages.map(({ role, content: [part] }) => [role, part?.text ?? part?.output?.value]);
}

Deno.test("a session with a journal loses no turn and repeats no payment, wherever its process is killed", async () => {
  await withFolder(async (folder) => {
    for (let kill = 1; kill <= KILLS; kill++) {
      // The process is killed at a later append each time, until an append of a later turn.
      const [, signal] = await run("talk", folder, 2 * KILLS, 1 + kill * 5 % 13);
      assertEquals(signal, "SIGKILL", `kill ${kill}`);
    }
    assertEquals(await run("talk", folder, 2 * KILLS, 0), ["", null]);
    const messages = await readSession(folder);
    const payments = (await readLog(folder)).map((line) => line.slice("pay ".length));
    assertEquals(new Set(payments).size, payments.length, "a payment was made twice");
    const results = messages.filter(([role]) => role === "tool").map(([, value]) => value);
    const paid = results.filter((value) => value === "paid").length;
    assert(paid <= payments.length, `${paid} results for ${payments.length} payments`);
    assert(paid >= KILLS, `only ${paid} payments succeeded`);
    for (const [index, value] of results.entries()) {
      if (value !== "paid") assert(String(value).includes("interrupted"), `${index}: ${value}`);
    }
    const expected = results.flatMap((result, turn): (readonly [string, unknown])[] => [
      ["user", `turn ${turn}`],
      ["assistant", undefined],
      ["tool", result],
      ["assistant", "done"],
    ]);
    assertEquals([messages, results.length], [expected, 2 * KILLS]);
  });
});

Deno.test("two writers of a session lose and repeat no turn when one of them is killed", async () => {
  await withFolder(async (folder) => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const [[, signal], [, none]] = await Promise.all([
        run("write", folder, `a${kill}`, 0, 1 + kill % 6),
        run("write", folder, `b${kill}`, 5, 0),
      ]);
      assertEquals([signal, none], ["SIGKILL", null], `kill ${kill}`);
    }
    const turns = (await readSession(folder)).filter(([role]) => role === "user")
      .map(([, text]) => String(text));
    assertEquals(new Set(turns).size, turns.length, "a turn was stored twice");
    const lines = (await readLog(folder)).map((line) => line.split(" "));
    const outcomes = new Set(lines.map(([outcome]) => outcome));
    assertEquals(outcomes.difference(new Set(["stored", "session_conflict"])), new Set());
    const stored = new Set(turns);
    for (const [outcome, turn = ""] of lines) {
      assertEquals(stored.has(turn), outcome === "stored", `${turn}: ${outcome}`);
    }
    // A process that is killed after an append could not log the turn.
    const logged = new Set(lines.map(([, turn]) => turn));
    const unlogged = turns.filter((turn) => !logged.has(turn));
    assert(unlogged.length <= KILLS && unlogged.every((turn) => turn.startsWith("a")));
  });
});
