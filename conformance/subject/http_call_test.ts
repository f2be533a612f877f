import { assertEquals, assertRejects } from "@std/assert";
import { listenHttp } from "../platform/http.ts";
import { callHttp, openStream } from "./http_call.ts";

const MIB = "x".repeat(1024 * 1024);

/** Calls a function with the URL of a server that responds with the given chunks. */
async function withServer(
  { type, chunks, isEnded = false }: {
    readonly type: string;
    readonly chunks: readonly string[];
    readonly isEnded?: boolean;
  },
  act: (url: string) => Promise<void>,
): Promise<void> {
  const listener = await listenHttp((_, reply) => {
    reply.head(200, { "content-type": type });
    for (const chunk of chunks) reply.write(chunk);
    if (isEnded) reply.end();
    return Promise.resolve();
  });
  try {
    await act(`http://127.0.0.1:${listener.port}/`);
  } finally {
    await listener.close();
  }
}

const { signal } = new AbortController();

Deno.test("callHttp() rejects if a response body or an event is longer than 8 MiB", async () => {
  const bodies = [
    ["text/plain", [], "the response is longer than 8388608 bytes"],
    ["text/event-stream", ["data: "], "an event is longer than 8388608 characters"],
  ] as const;
  for (const [type, first, message] of bodies) {
    const chunks = [...first, ...Array.from({ length: 9 }, () => MIB)];
    await withServer({ type, chunks }, async (url) => {
      await assertRejects(() => callHttp({ url, signal }, { method: "GET" }), RangeError, message);
    });
  }
});

Deno.test("openStream() stores at most 64 Mi characters of events, and reads the response to its end", async () => {
  const chunks = Array.from({ length: 66 }, () => `data: ${MIB}\n\n`);
  await withServer({ type: "text/event-stream", chunks, isEnded: true }, async (url) => {
    const stream = await openStream({ url, signal }, { method: "GET" });
    await stream.ended;
    let count = 0;
    while (await stream.next(() => true, 0) !== undefined) count++;
    assertEquals(count, 64);
  });
});
