import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { type Loopback, openLoopback } from "./loopback.ts";

function loginAt({ redirectUri }: Pick<Loopback, "redirectUri">, state: string): URL {
  const url = new URL("https://login.example/authorize");
  url.searchParams.set("state", state);
  url.searchParams.set("redirect_uri", redirectUri);
  return url;
}

async function visit(address: string, init?: RequestInit): Promise<number> {
  const response = await fetch(address, init);
  await response.text();
  return response.status;
}

const { signal } = new AbortController();

Deno.test("openLoopback() passes each redirect to the login that it belongs to", async () => {
  const opened: URL[] = [];
  const ready = Promise.withResolvers<void>();
  const loopback = await openLoopback({
    path: "/here",
    open: (url) => {
      if (opened.push(url) === 2) ready.resolve();
    },
  });
  const { redirectUri, authorize, close } = loopback;
  const first = authorize(loginAt(loopback, "s1"), { signal });
  const second = authorize(loginAt(loopback, "s2"), { signal });
  await ready.promise;
  assertEquals(await visit(`${redirectUri}?code=c2&state=s2`), 200);
  assertEquals(await visit(`${redirectUri}?code=c1&state=s1`), 200);
  assertEquals(String(await first).split("?")[1], "code=c1&state=s1");
  assertEquals(String(await second).split("?")[1], "code=c2&state=s2");
  await close();
});

Deno.test("openLoopback() rejects every request that is not an expected redirect", async () => {
  const opened = Promise.withResolvers<void>();
  const loopback = await openLoopback({ open: () => opened.resolve() });
  const { redirectUri, authorize, close } = loopback;
  const login = authorize(loginAt(loopback, "s1"), { signal });
  await opened.promise;
  const { origin } = new URL(redirectUri);
  assertEquals(await visit(`${redirectUri}?code=c1&state=guess`), 404);
  assertEquals(await visit(`${redirectUri}?code=c1`), 404);
  assertEquals(await visit(`${origin}/other?code=c1&state=s1`), 404);
  assertEquals(await visit(`${redirectUri}?code=c1&state=s1`, { method: "POST" }), 404);
  assertEquals(await visit(`${redirectUri}?code=c1&state=s1`), 200);
  await login;
  // The listener accepts each redirect only once.
  assertEquals(await visit(`${redirectUri}?code=c1&state=s1`), 404);
  await close();
});

Deno.test("authorize() rejects if its signal aborts, the listener closes or the browser does not open", async () => {
  const loopback = await openLoopback({ open: () => {} });
  const controller = new AbortController();
  const given = loopback.authorize(loginAt(loopback, "s1"), { signal: controller.signal });
  controller.abort(new DOMException("enough", "AbortError"));
  await assertRejects(() => given, DOMException, "enough");
  const open = assertRejects(
    () => Promise.resolve(loopback.authorize(loginAt(loopback, "s2"), { signal })),
    McpError,
    "the loopback listener was closed",
  );
  await loopback.close();
  await loopback.close();
  await open;
  await assertRejects(() => loopback.authorize(loginAt(loopback, "s3"), { signal }), McpError);

  const failing = await openLoopback({ open: () => Promise.reject(new Error("no browser")) });
  await assertRejects(
    () => failing.authorize(loginAt(failing, "s1"), { signal }),
    Error,
    "no browser",
  );
  await failing.close();
});

Deno.test("authorize() rejects if the function that opens the browser throws, and close() rejects nothing else", async () => {
  const failing = await openLoopback({
    open: () => {
      throw new Error("no browser");
    },
  });
  await assertRejects(
    () => failing.authorize(loginAt(failing, "s1"), { signal }),
    Error,
    "no browser",
  );
  await failing.close();
});

Deno.test("openLoopback() uses the given port and rejects if the port is not available", async () => {
  const first = await openLoopback({ open: () => {} });
  const port = Number(new URL(first.redirectUri).port);
  await assertRejects(() => openLoopback({ port }), McpError, `port ${port} is not available`);
  await first.close();
  const second = await openLoopback({ port });
  assertEquals(second.redirectUri, `http://127.0.0.1:${port}/callback`);
  await second.close();
});
