import { assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/session_writer.ts", import.meta.url).pathname;
const RUNS = 40;

async function runProcess(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "--allow-read", "--allow-write", PROGRAM, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
}

Deno.test("jsonlSessions() loses no run when two processes write to one file", async () => {
  const folder = Deno.env.get("TMPDIR") ?? "/tmp";
  const file = `${folder}/parley-session-${crypto.randomUUID()}.jsonl`;
  try {
    const outcomes = (await Promise.all([
      runProcess("write", file, "a", String(RUNS)),
      runProcess("write", file, "b", String(RUNS)),
    ])).flat();
    const stored = outcomes.filter((line) => line.startsWith("stored ")).map((line) =>
      line.slice("stored ".length)
    );
    const conflicts = outcomes.filter((line) => line.startsWith("conflict "));
    assertEquals(stored.length + conflicts.length, 2 * RUNS);
    assertEquals([...await runProcess("read", file)].sort(), stored.sort());
  } finally {
    await runProcess("remove", file);
  }
});
