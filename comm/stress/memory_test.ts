import { assert, assertEquals } from "@std/assert";

/** The memory that a transport may retain for one hostile peer, in bytes. */
const LIMIT = 64 * 1024 * 1024;

for (
  const attack of [
    "84 MiB of WebSocket frames to a busy handler",
    "84 MiB of lines to a busy handler",
    "a WebSocket peer that never reads",
  ]
) {
  Deno.test(`the memory of a transport stays below 64 MiB under attack: ${attack}`, async () => {
    const program = new URL("testdata/memory.ts", import.meta.url).pathname;
    // The heap limit detects memory that is used during the attack and released before the attack
    // ends.
    const flags = "--v8-flags=--expose-gc,--max-old-space-size=512";
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "--allow-env", flags, program, attack],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const bytes = Number(new TextDecoder().decode(stdout));
    assert(bytes < LIMIT, `${bytes} bytes retained`);
  });
}
