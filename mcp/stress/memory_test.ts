import { assert, assertEquals } from "@std/assert";

Deno.test("twenty thousand odd frames leave no memory behind in a server", async () => {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: [
      "run",
      "--quiet",
      "--allow-env",
      "--v8-flags=--expose-gc",
      new URL("testdata/memory.ts", import.meta.url).pathname,
    ],
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  const grown = Number(new TextDecoder().decode(stdout));
  // A frame that stayed would be some 200 bytes; twenty thousand of them four million.
  assert(grown < 400_000, `${grown} bytes more`);
});
