import { assert, assertEquals } from "@std/assert";

const ATTACKS = [
  "client names",
  "capabilities of nested arrays",
  "capabilities below the limit",
  "long URIs",
  "many URIs",
  "responses",
  "subscription streams",
];

for (const attack of ATTACKS) {
  Deno.test(`sessions with up to 4 MiB each do not exhaust the memory of a server (${attack})`, async () => {
    const program = new URL("testdata/session_memory.ts", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "--v8-flags=--expose-gc", program, attack],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const { grown } = JSON.parse(new TextDecoder().decode(stdout));
    assert(grown < 128 * 1024 * 1024, `${grown} bytes more`);
  });
}
