import { assertEquals, assertStrictEquals } from "@std/assert";
import { hideInErrorBody } from "./error_body.ts";

function hide(text: string): string {
  return text.replaceAll("planted", "...");
}

function streamOf(chunks: readonly string[], cancelled?: () => void): ReadableStream<Uint8Array> {
  const rest = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: () => cancelled?.(),
  });
}

Deno.test("hideInErrorBody() removes secrets from text, also across chunks", async () => {
  for (const type of ["text/plain", "application/json; charset=utf-8", "application/a+json", ""]) {
    const headers: HeadersInit = {
      "content-length": "17",
      "www-authenticate": "Bearer",
      ...(type === "" ? {} : { "content-type": type }),
    };
    const given = new Response(streamOf(["token pla", "nted\u20ac!"]), { status: 401, headers });
    const response = hideInErrorBody(given, hide);
    assertEquals(await response.text(), "token ...\u20ac!");
    assertEquals([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
    assertEquals(response.headers.get("content-length"), null);
  }
});

Deno.test("hideInErrorBody() passes on bodies of any size, and cancels the body of the server", async () => {
  const chunk = "x".repeat(50_000);
  const long = new Response(streamOf([chunk, chunk, chunk]), { status: 500 });
  assertEquals((await hideInErrorBody(long, hide).text()).length, 150_000);
  const cancelled = Promise.withResolvers<void>();
  const left = new Response(streamOf([chunk, chunk, chunk], cancelled.resolve), { status: 500 });
  await hideInErrorBody(left, hide).body?.cancel();
  await cancelled.promise;
});

Deno.test("hideInErrorBody() returns other responses unchanged", () => {
  const image = { "content-type": "image/png" };
  for (
    const response of [
      new Response("planted"),
      new Response("planted", { status: 302 }),
      new Response(null, { status: 500 }),
      new Response("planted", { status: 500, headers: image }),
    ]
  ) {
    assertStrictEquals(hideInErrorBody(response, hide), response);
  }
});
