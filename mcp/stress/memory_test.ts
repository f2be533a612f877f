import { assert, assertEquals } from "@std/assert";
import { ODD_SERVERS } from "./testdata/odd_server.ts";

const SUBJECTS = [
  "a server over HTTP",
  "a server on a pipe",
  ...[...ODD_SERVERS.keys()].map((way) => `a client (${way})`),
];

for (const subject of SUBJECTS) {
  Deno.test(`10,000 malformed frames leak no memory in ${subject}`, async () => {
    const program = new URL("testdata/memory.ts", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--quiet", "--allow-env", "--v8-flags=--expose-gc", program, subject],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const growth = Number(new TextDecoder().decode(stdout));
    // A retained frame takes about 200 bytes, so a leak of 10,000 frames would take 2 MB.
    assert(growth < 400_000, `${growth} bytes more`);
  });
}
