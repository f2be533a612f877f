import { assert, assertEquals } from "@std/assert";

const ATTACKS = [
  "a long id",
  "a long correlationId",
  "a long replyTo",
  "a long payload",
  "an id that is a substring of a long string",
];

for (const attack of ATTACKS) {
  Deno.test(`accepted messages with ${attack} leave no long strings in the replay guard`, async () => {
    const program = new URL("testdata/replay_memory.ts", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--quiet", "--v8-flags=--expose-gc", program, attack],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const { before, after, tracked } = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals(tracked, 61);
    // Each of the 60 messages is 400 kB, so retaining their text would take 24 MB.
    assert(after - before < 1_000_000, `${after - before} bytes more`);
  });
}
