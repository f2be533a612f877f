import { assert, assertEquals } from "@std/assert";
import { splitLines } from "@parley/internal/split-lines";
import { LinePipe } from "../transport/ndjson_pipe.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const FLOODS = {
  "lines that are not JSON": { line: "x", count: 60_000 },
  "blank lines": { line: "", count: 2_000_000 },
  "lines of one space": { line: " ", count: 1_000_000 },
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

/** A chunk that counts the arrays created from it. */
class CountingChunk extends Uint8Array<ArrayBuffer> {
  created = 0;

  override subarray(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.created++;
    return new Uint8Array(this.buffer, this.byteOffset).subarray(start, end);
  }
}

Deno.test("a flood of blank lines creates no objects in splitLines()", async () => {
  for (const blank of ["\n", "\r\n", " \t\r\n"]) {
    const chunk = new CountingChunk(new TextEncoder().encode(blank.repeat(262_144)).buffer);
    let lines = 0;
    await splitLines(async (take) => void await take(chunk))(() => void lines++);
    assertEquals(lines, 0);
    assert(chunk.created <= 1, `${chunk.created} arrays for ${chunk.length} bytes`);
  }
});

// Reading a chunk of 100 lines takes less than a millisecond, in which there is no reason to yield.
// The clock therefore advances by a millisecond with each line, as if the lines took that long.
Deno.test("a single chunk of lines does not block timers after the clock was set back", async () => {
  const flood = new TextEncoder().encode("x\n".repeat(100));
  const { now } = Date;
  let offsetMs = 0;
  Date.now = () => now() + offsetMs;
  try {
    let timer: AbortSignal | undefined;
    let linesBeforeTimer = 0;
    const lines = splitLines(async (take) => {
      offsetMs = -3_600_000;
      timer = AbortSignal.timeout(0);
      await take(flood);
    });
    const pipe = new LinePipe(
      (take) =>
        lines((line) => {
          offsetMs++;
          return take(line);
        }),
      { writeLine: () => undefined },
    );
    for await (const _frame of pipe.frames) if (!timer?.aborted) linesBeforeTimer++;
    assert(linesBeforeTimer < 100, `${linesBeforeTimer} lines before the timer`);
  } finally {
    Date.now = now;
  }
});
