import { assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Principal, ServedContext, ServedHandler } from "./contracts.ts";
import { withBearer } from "./with_bearer.ts";

/** An endpoint that accepts anonymous callers, and records the contexts that it receives. */
function recorder(): { readonly handler: ServedHandler; readonly contexts: ServedContext[] } {
  const contexts: ServedContext[] = [];
  const handler: ServedHandler = (_request, context = {}) => {
    contexts.push(context);
    return Promise.resolve(new Response(null, { status: context.isDenied ? 401 : 200 }));
  };
  return { handler, contexts };
}

function request(authorization?: string): Request {
  const headers = new Headers();
  if (authorization !== undefined) headers.set("authorization", authorization);
  return new Request("https://agent.example/", { method: "POST", headers });
}

const ANN = { subject: "ann", scopes: ["read"] };

Deno.test("the endpoint receives the principal of the token", async () => {
  const { contexts, handler } = recorder();
  const tokens: string[] = [];
  const handle = withBearer(handler, (token) => {
    tokens.push(token);
    return Promise.resolve(ANN);
  });
  const headers = ["Bearer a.b~c+/-_9==", "bearer k", "BEARER  k"];
  for (const header of headers) assertEquals((await handle(request(header))).status, 200);
  assertEquals(tokens, ["a.b~c+/-_9==", "k", "k"]);
  assertEquals(contexts, [{ principal: ANN }, { principal: ANN }, { principal: ANN }]);
});

Deno.test("a request without one bearer token is denied, and not verified", async () => {
  const { contexts, handler } = recorder();
  const handle = withBearer(handler, () => {
    throw new Error("called");
  }, { onError: (error) => errors.push(error) });
  const errors: unknown[] = [];
  const headers = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic a",
    "Bearer a b",
    "Bearer a, Bearer b",
    "xBearer a",
    "Bearer a\u00e9",
    `Bearer ${"a".repeat(16_384)}`,
  ];
  for (const header of headers) assertEquals((await handle(request(header))).status, 401);
  assertEquals(contexts, headers.map(() => ({ isDenied: true })));
  assertEquals(errors, []);
});

Deno.test("a token whose verification yields no principal is denied", async () => {
  const { contexts, handler } = recorder();
  const errors: unknown[] = [];
  // A function in JavaScript can return anything.
  const results: readonly unknown[] = [
    undefined,
    null,
    true,
    {},
    { subject: "" },
    { sub: "ann" },
    { subject: "ann", scopes: "admin" },
    { subject: "ann", party: "" },
  ];
  for (const result of results) {
    const verify = () => result as Principal;
    const handle = withBearer(handler, verify, { onError: (error) => errors.push(error) });
    assertEquals((await handle(request("Bearer a"))).status, 401);
  }
  assertEquals(contexts, results.map(() => ({ isDenied: true })));
  assertEquals(errors.length, 7);
});

Deno.test("a verification that fails is denied and reported", async () => {
  const { handler } = recorder();
  const errors: unknown[] = [];
  const failures = [() => Promise.reject(new Error("down")), () => {
    throw new Error("bug");
  }];
  for (const verify of failures) {
    const handle = withBearer(handler, verify, { onError: (error) => errors.push(error) });
    assertEquals((await handle(request("Bearer a"))).status, 401);
  }
  assertEquals(errors.map(String), ["Error: down", "Error: bug"]);
});

Deno.test("a verification that takes too long is denied", async () => {
  using time = new FakeTime();
  const { handler } = recorder();
  const errors: unknown[] = [];
  const verify = () => new Promise<Principal>(() => {});
  const options = { timeoutMs: 100, onError: (error: unknown) => errors.push(error) };
  const response = withBearer(handler, verify, options)(request("Bearer a"));
  await time.tickAsync(100);
  assertEquals([(await response).status, errors.length], [401, 1]);
});

Deno.test("the arguments of withBearer must be functions", () => {
  const { handler } = recorder();
  assertThrows(() => withBearer(handler, undefined as never), TypeError, "verify");
  assertThrows(() => withBearer(undefined as never, () => ANN), TypeError, "handler");
  assertThrows(() => withBearer(handler, () => ANN, { timeoutMs: 0 }), RangeError, "timeoutMs");
});
