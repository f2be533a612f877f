import { assert, assertEquals } from "@std/assert";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const FLOODS = {
  "lines that are not JSON": { line: "x", count: 60_000 },
  "blank lines": { line: "", count: 2_000_000 },
  "requests": { line: PING, count: 60_000 },
  "notifications": { line: '{"jsonrpc":"2.0","method":"notifications/x"}', count: 100_000 },
  "invalid responses": { line: '{"jsonrpc":"2.0","result":1}', count: 100_000 },
} as const;

for (const [name, { line, count }] of Object.entries(FLOODS)) {
  Deno.test(`a flood of ${name} on stdin does not block the timers of a server`, async () => {
    const program = new URL("testdata/flooded_server.ts", import.meta.url).pathname;
    const child = new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", program],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const discarded = child.stdout.pipeTo(new WritableStream());
    const written = new Blob([`${line}\n`.repeat(count)]).stream().pipeTo(child.stdin);
    const longest = await new Response(child.stderr).text();
    await Promise.all([written, discarded]);
    assertEquals((await child.status).code, 0);
    assert(Number(longest) < 500, `timers were blocked for ${longest} ms`);
  });
}
