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

Deno.test("hideInErrorBody() removes a secret at any place of a long body", async () => {
  for (const place of [0, 65_531, 65_536, 131_070, 250_000]) {
    for (const length of [1000, 65_536]) {
      const text = `${"x ".repeat(place / 2)}planted${" y".repeat((250_000 - place) / 2)}`;
      const chunks = text.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      const response = hideInErrorBody(new Response(streamOf(chunks), { status: 500 }), hide);
      assertEquals(await response.text(), hide(text));
    }
  }
});

Deno.test("hideInErrorBody() replaces a body that is too long, and cancels the body of the server", async () => {
  const chunk = "x".repeat(50_000);
  const cancelled = Promise.withResolvers<void>();
  const chunks = Array<string>(100).fill(chunk);
  const long = new Response(streamOf(chunks, cancelled.resolve), { status: 500 });
  assertEquals(
    await hideInErrorBody(long, hide).text(),
    "[error response that is too long to be searched for secrets]",
  );
  await cancelled.promise;
  const left = Promise.withResolvers<void>();
  const other = new Response(streamOf([chunk, chunk], left.resolve), { status: 500 });
  await hideInErrorBody(other, hide).body?.cancel();
  await left.promise;
});

Deno.test("hideInErrorBody() removes a secret from the status text", () => {
  const given = new Response("a", { status: 500, statusText: "planted" });
  assertEquals(hideInErrorBody(given, hide).statusText, "...");
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
