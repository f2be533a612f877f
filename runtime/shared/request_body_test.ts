import { assertEquals, assertRejects } from "@std/assert";
import { readRequestBody } from "./request_body.ts";

function post(body: BodyInit | null): Request {
  return new Request("http://localhost/", { method: "POST", body });
}

/** Returns a body that yields chunks of 4 bytes, and counts them. */
function endless(onChunk: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      onChunk();
      controller.enqueue(new Uint8Array(4));
    },
  }, { highWaterMark: 0 });
}

Deno.test("readRequestBody() returns the text of a body", async () => {
  assertEquals(await readRequestBody(post("é"), 2), { text: "é" });
  assertEquals(await readRequestBody(post(null), 1), { text: "" });
});

Deno.test("readRequestBody() stops after the maximum number of bytes", async () => {
  assertEquals(await readRequestBody(post("é"), 1), { failure: "too_large" });
  let chunks = 0;
  const body = endless(() => chunks++);
  assertEquals(await readRequestBody(post(body), 10), { failure: "too_large" });
  assertEquals(chunks, 3);
});

Deno.test("readRequestBody() reports a body that fails", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: () => Promise.reject(new Error("connection reset")),
  });
  assertEquals(await readRequestBody(post(body), 10), { failure: "unreadable" });
});

Deno.test("readRequestBody() rejects a body that was read before", async () => {
  const request = post("a");
  await request.text();
  await assertRejects(() => readRequestBody(request, 10), TypeError, "it was read before");
});
