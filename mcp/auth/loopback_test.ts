import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { type Loopback, openLoopback } from "./loopback.ts";

function loginAt({ redirectUri }: Pick<Loopback, "redirectUri">, state: string): URL {
  const url = new URL("https://login.example/authorize");
  url.searchParams.set("state", state);
  url.searchParams.set("redirect_uri", redirectUri);
  url.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  url.searchParams.set("code_challenge_method", "S256");
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

/** Changes that make an authorization URL unsafe, and the error. */
const UNSAFE: Readonly<Record<string, readonly [(url: URL) => void, string]>> = {
  "no state": [({ searchParams }) => searchParams.delete("state"), '"state" once'],
  "an empty state": [({ searchParams }) => searchParams.set("state", ""), '"state" once'],
  "two states": [({ searchParams }) => searchParams.append("state", "s2"), '"state" once'],
  "a state in the fragment only": [(url) => {
    url.searchParams.delete("state");
    url.hash = "state=s1";
  }, '"state" once'],
  "no redirect URI": [
    ({ searchParams }) => searchParams.delete("redirect_uri"),
    '"redirect_uri" once',
  ],
  "two redirect URIs": [
    ({ searchParams }) => searchParams.append("redirect_uri", "https://evil.example"),
    '"redirect_uri" once',
  ],
  "another redirect URI": [
    ({ searchParams }) => searchParams.set("redirect_uri", "http://127.0.0.1:1/callback"),
    '"redirect_uri" in the authorization URL must be "http://127.0.0.1:',
  ],
  "no code challenge": [
    ({ searchParams }) => searchParams.delete("code_challenge"),
    '"code_challenge" once',
  ],
  "no code challenge method": [
    ({ searchParams }) => searchParams.delete("code_challenge_method"),
    '"code_challenge_method" once',
  ],
  "a plain code challenge": [
    ({ searchParams }) => searchParams.set("code_challenge_method", "plain"),
    'must be "S256"',
  ],
};

for (const [title, [change, message]] of Object.entries(UNSAFE)) {
  Deno.test(`authorize() rejects an authorization URL with ${title}, and does not open it`, async () => {
    const opened: URL[] = [];
    const loopback = await openLoopback({ open: (url) => void opened.push(url) });
    const url = loginAt(loopback, "s1");
    change(url);
    await assertRejects(async () => await loopback.authorize(url, { signal }), TypeError, message);
    assertEquals(await visit(`${loopback.redirectUri}?code=c1`), 404);
    assertEquals(await visit(`${loopback.redirectUri}?code=c1&state=`), 404);
    assertEquals(opened, []);
    await loopback.close();
  });
}

Deno.test("authorize() rejects a second login with the same state, and the first one continues", async () => {
  const opened = Promise.withResolvers<void>();
  const loopback = await openLoopback({ open: () => opened.resolve() });
  const first = loopback.authorize(loginAt(loopback, "s1"), { signal });
  await opened.promise;
  await assertRejects(
    async () => await loopback.authorize(loginAt(loopback, "s1"), { signal }),
    TypeError,
    "must be new for each login",
  );
  assertEquals(await visit(`${loopback.redirectUri}?code=c1&state=s1`), 200);
  assertEquals(String(await first).split("?")[1], "code=c1&state=s1");
  await loopback.close();
});
