import { assert, assertEquals, assertStringIncludes } from "@std/assert";

async function run(...args: string[]): Promise<string> {
  const program = new URL("main.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", program, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(decoder.decode(stderr), "");
  return decoder.decode(stdout);
}

Deno.test("the team writes, checks and publishes after an approval, without permissions", async () => {
  const out = await run("--approve");
  assertStringIncludes(out, "writer > checker: calls words_to_avoid");
  assertStringIncludes(out, "publisher: ended with approval_pending");
  assertStringIncludes(out, "Published as number 1");
  assertEquals(
    out.split("writer: calls check").length,
    2,
    "the writer's steps are not repeated",
  );
});

Deno.test("the team publishes nothing after a denial", async () => {
  assertStringIncludes(await run("--deny"), "On the site: []");
});

Deno.test("one process starts the durable team, parley-runs approves, and a third process continues a day later", async () => {
  const path = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-team-${crypto.randomUUID()}.db`;
  try {
    const waiting = await runProcess("agent_team/durable.ts", path, `${path}.site`);
    const key = /^Waiting for approval (\S+)\n$/.exec(waiting)?.[1] ?? "";
    const cli = (...args: readonly string[]) =>
      runProcess("../runtime/runs_cli.ts", "--database", path, ...args);
    assertStringIncludes(await cli("list"), "approval of publish");
    assertEquals(await cli("signal", "notes-1-publish", key, "true"), "Stored\n");
    const done = "done: Published as number 1\n";
    assertEquals(
      await runProcess("agent_team/durable.ts", path, `${path}.site`, "--days", "1"),
      done,
    );
    const { createdAt, updatedAt } = JSON.parse(await cli("show", "notes-1-publish", "--json"));
    const passed = Date.parse(updatedAt) - Date.parse(createdAt);
    assert(passed >= 86_400_000 && passed < 2 * 86_400_000, `${passed} ms passed`);
    assertEquals(
      await runProcess("agent_team/durable.ts", path, `${path}.site`, "--days", "2"),
      done,
    );
    const published = await Deno.readTextFile(`${path}.site`);
    assertEquals(published.split("\n").length, 2, "the notes are published once");
  } finally {
    const script = 'rm -f "$1" "$1-wal" "$1-shm" "$1.site"';
    await new Deno.Command("sh", { args: ["-c", script, "sh", path] }).output();
  }
});

async function runProcess(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: [
      "run",
      "--quiet",
      "--no-check",
      "-A",
      `${new URL("..", import.meta.url).pathname}${program}`,
      ...args,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}
