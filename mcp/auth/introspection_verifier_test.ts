import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { sleep } from "@parley/internal/timers";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { type IntrospectionOptions, introspectionVerifier } from "./introspection_verifier.ts";

function show(
  verify: ReturnType<typeof introspectionVerifier>,
  token: string,
  scheme: "bearer" | "dpop" = "bearer",
) {
  const request = new Request(RESOURCE, {
    method: "POST",
    headers: { authorization: `${scheme} ${token}` },
  });
  return verify({ token, scheme, resource: RESOURCE, request });
}

const ANSWER = { active: true, sub: "ada", aud: RESOURCE, scope: "read", client_id: "c" };

/** Test cases: an introspection response, and whether the verifier accepts the token. */
const ANSWERS: readonly (readonly [string, object, boolean])[] = [
  ["is active", ANSWER, true],
  ["has several audiences", { ...ANSWER, aud: ["x", RESOURCE] }, true],
  ["expires later", { ...ANSWER, exp: Date.now() / 1000 + 60 }, true],
  ["has only a client identifier", { ...ANSWER, sub: undefined }, true],
  ["is inactive", { active: false }, false],
  ["is inactive and has claims", { ...ANSWER, active: false }, false],
  ["has another audience", { ...ANSWER, aud: "https://other.example" }, false],
  ["has no audience", { ...ANSWER, aud: undefined }, false],
  ["has expired", { ...ANSWER, exp: 1 }, false],
  ["has an invalid expiration", { ...ANSWER, exp: "never" }, false],
  ["has an empty subject", { ...ANSWER, sub: "" }, false],
  ["has a subject of spaces", { ...ANSWER, sub: "  " }, false],
  ["has a number as its subject", { ...ANSWER, sub: 7 }, false],
  ["has a nested list of audiences", { ...ANSWER, aud: [[RESOURCE]] }, false],
  ["is DPoP-bound", { ...ANSWER, cnf: { jkt: "x" } }, false],
  ["has no subject", { active: true, aud: RESOURCE }, false],
];

for (const [name, answer, isGood] of ANSWERS) {
  Deno.test(`introspectionVerifier() ${isGood ? "accepts" : "rejects"} a token that ${name}`, async () => {
    const verify = introspectionVerifier({
      introspectionUrl: `${ISSUER}/introspect`,
      clientId: "server",
      clientSecret: "s",
      fetch: () => Promise.resolve(Response.json(answer)),
    });
    const found = await show(verify, "t1");
    assertEquals(found !== undefined, isGood);
    if (isGood) assertEquals(found?.scopes, ["read"]);
    assertEquals(await show(verify, "t1", "dpop"), undefined);
  });
}

Deno.test("introspectionVerifier() authenticates to the authorization server", async () => {
  const asked: Request[] = [];
  const verify = introspectionVerifier({
    introspectionUrl: `${ISSUER}/introspect`,
    clientId: "server",
    clientSecret: "s",
    fetch: (url, { headers = {}, body = null, method = "GET" }) => {
      asked.push(new Request(url, { method, headers, body }));
      return Promise.resolve(Response.json(ANSWER));
    },
  });
  await show(verify, "t1");
  assertEquals(asked[0]?.headers.get("authorization"), `Basic ${btoa("server:s")}`);
  assertEquals(await asked[0]?.text(), "token=t1");
});

Deno.test("introspectionVerifier() throws if the response is invalid", async () => {
  const answers = [
    new Response("no", { status: 500 }),
    ...[{ token: "t1" }, { ...ANSWER, active: "true" }, { ...ANSWER, active: 1 }, true, null]
      .map((body) => Response.json(body)),
  ];
  for (const answer of answers) {
    const verify = introspectionVerifier({
      introspectionUrl: `${ISSUER}/introspect`,
      clientId: "server",
      fetch: () => Promise.resolve(answer),
    });
    const error = await assertRejects(
      () => show(verify, "t1"),
      McpError,
      "invalid introspection response",
    );
    assertEquals(error.cause, undefined);
  }
});

Deno.test("introspectionVerifier() rejects an insecure URL", () => {
  assertThrows(
    () => introspectionVerifier({ introspectionUrl: "introspect", clientId: "c" }),
    McpError,
    '"introspectionUrl"',
  );
});

/** Returns a verifier and the tokens that it has introspected. */
function verifierWith(answer: (token: string) => Promise<Response>, more: object = {}) {
  const asked: string[] = [];
  let running = 0;
  const counts = { most: 0 };
  const fetch: HttpFetch = async (_url, { body }) => {
    const token = new URLSearchParams(String(body)).get("token") ?? "";
    asked.push(token);
    counts.most = Math.max(counts.most, ++running);
    try {
      return await answer(token);
    } finally {
      running--;
    }
  };
  const options: IntrospectionOptions = {
    introspectionUrl: `${ISSUER}/introspect`,
    clientId: "server",
    clientSecret: "planted-client-secret",
    fetch,
    ...more,
  };
  return { asked, counts, verify: introspectionVerifier(options) };
}

/** Waits for a turn of the event loop. */
function nextTurn(): Promise<void> {
  return sleep(0, new AbortController().signal);
}

Deno.test("introspectionVerifier() introspects equal tokens once at a time", async () => {
  const { asked, verify } = verifierWith(async () => {
    // All tokens are digested before the first request ends.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    return Response.json(ANSWER);
  });
  const found = await Promise.all(Array.from({ length: 50 }, () => show(verify, "t1")));
  assertEquals(found.map((each) => each?.subject), Array(50).fill("ada"));
  assertEquals(asked, ["t1"]);
  // An active token is introspected for each later request, because it can be revoked.
  await show(verify, "t1");
  assertEquals(asked, ["t1", "t1"]);
});

Deno.test("introspectionVerifier() does not introspect an inactive token again for 10 seconds", async () => {
  using time = new FakeTime();
  const { asked, verify } = verifierWith(() => Promise.resolve(Response.json({ active: false })));
  for (let call = 0; call < 5; call++) assertEquals(await show(verify, "guess"), undefined);
  assertEquals(asked.length, 1);
  await time.tickAsync(10_000);
  assertEquals(await show(verify, "guess"), undefined);
  assertEquals(asked.length, 2);
});

Deno.test("introspectionVerifier() limits the number of requests in flight and of waiting tokens", async () => {
  const limits = { maxConcurrent: 3, maxQueued: 7 };
  // No request ends before the queue is full.
  const isFull = Promise.withResolvers<void>();
  let rejected = 0;
  const { asked, counts, verify } = verifierWith(async () => {
    await isFull.promise;
    return Response.json(ANSWER);
  }, limits);
  const all = await Promise.allSettled(Array.from({ length: 20 }, async (_, index) => {
    try {
      await show(verify, `guess-${index}`);
    } catch (error) {
      if (++rejected === 11) isFull.resolve();
      throw error;
    }
  }));
  // One of the three requests is reserved for tokens that were active.
  assertEquals([counts.most, asked.length], [2, 9]);
  const failed = all.flatMap((each) => each.status === "rejected" ? [String(each.reason)] : []);
  assertEquals(failed.length, 11);
  assert(failed.every((text) => text.includes('"maxQueued" is exceeded')));
  assertEquals((await show(verify, "t1"))?.subject, "ada");
});

Deno.test("introspectionVerifier() introspects a token that was active while unknown tokens fill the queue", async () => {
  const gate = Promise.withResolvers<void>();
  const limits = { maxConcurrent: 4, maxQueued: 5 };
  const { asked, verify } = verifierWith(async (token) => {
    if (token !== "valid") await gate.promise;
    return Response.json(token === "valid" ? ANSWER : { active: false });
  }, limits);
  assertEquals((await show(verify, "valid"))?.subject, "ada");
  // Three tokens are introspected, five wait, and the others are rejected.
  const isFull = Promise.withResolvers<void>();
  let rejected = 0;
  const junk = Promise.allSettled(Array.from({ length: 20 }, async (_, index) => {
    try {
      await show(verify, `junk-${index}`);
    } catch (error) {
      if (++rejected === 12) isFull.resolve();
      throw error;
    }
  }));
  await isFull.promise;
  for (let call = 0; call < 3; call++) {
    assertEquals((await show(verify, "valid"))?.subject, "ada");
  }
  assertEquals(asked.filter((token) => token === "valid").length, 4);
  await assertRejects(() => show(verify, "new"), McpError, '"maxQueued" is exceeded');
  gate.resolve();
  const outcomes = (await junk).map(({ status }) => status);
  assertEquals(outcomes.filter((status) => status === "fulfilled").length, 8);
});

Deno.test("introspectionVerifier() forgets after 10 minutes, and on revocation, that a token was active", async () => {
  using time = new FakeTime();
  for (const forget of ["time", "revocation"]) {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    let isRevoked = false;
    const { verify } = verifierWith(async (token) => {
      if (token !== "valid") {
        started.resolve();
        await gate.promise;
      }
      return Response.json(token === "valid" && !isRevoked ? ANSWER : { active: false });
    }, { maxConcurrent: 2, maxQueued: 0 });
    await show(verify, "valid");
    if (forget === "time") await time.tickAsync(600_000);
    isRevoked = forget === "revocation";
    if (isRevoked) assertEquals(await show(verify, "valid"), undefined);
    await time.tickAsync(10_000);
    const junk = show(verify, "junk");
    await started.promise;
    await assertRejects(() => show(verify, "valid"), McpError, '"maxQueued" is exceeded');
    gate.resolve();
    assertEquals(await junk, undefined);
  }
});

for (const status of [400, 413, 431]) {
  Deno.test(`introspectionVerifier() does not pause after tokens that result in status ${status}`, async () => {
    const { verify } = verifierWith((token) =>
      Promise.resolve(
        token === "t1" ? Response.json(ANSWER) : new Response("no", { status }),
      )
    );
    for (let call = 0; call < 10; call++) {
      await assertRejects(() => show(verify, `junk-${call}`), McpError);
    }
    assertEquals((await show(verify, "t1"))?.subject, "ada");
  });
}

Deno.test("introspectionVerifier() pauses after rejected client credentials and after too many requests", async () => {
  for (const status of [401, 403, 404, 429]) {
    const { asked, verify } = verifierWith(() => Promise.resolve(new Response("no", { status })));
    for (let call = 0; call < 10; call++) {
      await assertRejects(() => show(verify, `t${call}`), McpError);
    }
    assertEquals(asked.length, 3, String(status));
  }
});

Deno.test("introspectionVerifier() pauses its requests while the authorization server is down", async () => {
  using time = new FakeTime();
  let isDown = true;
  const { asked, verify } = verifierWith(() =>
    Promise.resolve(isDown ? new Response("no", { status: 500 }) : Response.json(ANSWER))
  );
  const callMany = async (): Promise<void> => {
    for (let call = 0; call < 50; call++) {
      await assertRejects(() => show(verify, `t${call}`), McpError, "introspection response");
    }
  };
  await callMany();
  assertEquals(asked.length, 3);
  // Pauses of 1, 2, 4 seconds and so on.
  for (const [pause, count] of [[1000, 4], [1000, 4], [1000, 5], [4000, 6]] as const) {
    await time.tickAsync(pause);
    await callMany();
    assertEquals(asked.length, count);
  }
  isDown = false;
  await time.tickAsync(8000);
  assertEquals((await show(verify, "t1"))?.subject, "ada");
  assertEquals((await show(verify, "t2"))?.subject, "ada");
});

Deno.test("introspectionVerifier() does not pause because of a single token that the server cannot process", async () => {
  const { verify } = verifierWith((token) =>
    Promise.resolve(
      token === "poison" ? new Response("no", { status: 500 }) : Response.json(ANSWER),
    )
  );
  for (let call = 0; call < 10; call++) {
    await assertRejects(() => show(verify, "poison"), McpError);
    assertEquals((await show(verify, "t1"))?.subject, "ada");
  }
});

Deno.test("introspectionVerifier() ends if its request aborts or a fetch function never settles", async () => {
  using time = new FakeTime();
  const { verify } = verifierWith(() => new Promise(() => {}), { requestTimeoutMs: 1000 });
  const stop = new AbortController();
  const request = new Request(RESOURCE, { signal: stop.signal });
  const aborted = assertRejects(
    () => verify({ token: "t1", scheme: "bearer", resource: RESOURCE, request }),
    Error,
    "client left",
  );
  const late = assertRejects(() => show(verify, "t1"), McpError, "timed out after 1000 ms");
  stop.abort(new Error("client left"));
  await aborted;
  for (let step = 0; step < 3; step++) await time.tickAsync(1000);
  await late;
});

Deno.test("introspectionVerifier() throws errors without secrets", async () => {
  const secrets = ["planted-access-token", "planted-client-secret"];
  const failures: readonly ((token: string) => Promise<Response>)[] = [
    (token) => Promise.reject(new Error(`failed: token=${token}`)),
    () => Promise.reject(new Error(`Basic ${btoa("server:planted-client-secret")}`)),
    (token) => Promise.resolve(Response.json({ error: token }, { status: 401 })),
    (token) => Promise.resolve(new Response(token)),
  ];
  for (const failure of failures) {
    const { verify } = verifierWith(failure);
    const error = await assertRejects(() => show(verify, "planted-access-token"), McpError);
    const text = Deno.inspect(error, { depth: 20, strAbbreviateSize: Infinity });
    for (const secret of [...secrets, btoa("server:planted-client-secret")]) {
      assert(!text.includes(secret), text);
    }
  }
});
