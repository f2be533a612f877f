import { assertEquals, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError } from "../shared/error.ts";
import { ISSUER, RESOURCE } from "../testdata/oauth.ts";
import { issue, show, subjectOf } from "../testdata/verifier.ts";
import { jwtVerifier } from "./jwt_verifier.ts";

Deno.test("jwtVerifier() returns the claims of a signed access token", async () => {
  using _time = new FakeTime(1_700_000_000_000);
  const { issuer, asked, verify, refusals } = await issue();
  const expected = {
    subject: "ada",
    scopes: ["read", "write"],
    clientId: "client-1",
    issuer: ISSUER,
    expiresAt: 1_700_000_300_000,
  };
  assertEquals(await show(verify, await issuer.token({ scope: "read write" })), expected);
  const several = await issuer.token({ aud: ["x", RESOURCE], scope: " read  write " });
  assertEquals(await show(verify, several), expected);
  // The verifier fetches the key set only once for all tokens.
  assertEquals(asked, [`${ISSUER}/keys`]);
  assertEquals(refusals, []);
});

Deno.test("jwtVerifier() returns only the claims that claimNames lists", async () => {
  const claimNames = ["tid", "missing", "toString"];
  const { issuer, verify } = await issue({ claimNames });
  claimNames.push("groups");
  const found = await show(verify, await issuer.token({ tid: "t1", groups: ["a"], email: "x" }));
  assertEquals("claims" in found && found.claims, { tid: "t1" });
});

/** Test cases: a scope claim, its value, and the scopes, or the detail of the refusal. */
const SCOPES: readonly (readonly [string | undefined, object, readonly string[] | string])[] = [
  [undefined, { scope: "a b" }, ["a", "b"]],
  [undefined, { scope: ["a", "b"] }, ["a", "b"]],
  [undefined, { scp: "a" }, []],
  [undefined, {}, []],
  ["scp", { scp: "a b", scope: "c" }, ["a", "b"]],
  ["scp", { scp: ["a b", "c"] }, ["a b", "c"]],
  ["permissions", { permissions: [] }, []],
  ["toString", {}, []],
  ["scp", { scp: 1 }, '"scp" must be a string or an array of strings, got 1'],
  ["scp", { scp: ["a", 1] }, '"scp" must be a string or an array of strings, got ["a",1]'],
  ["scp", { scp: null }, '"scp" must be a string or an array of strings, got null'],
];

for (const [scopeClaim, claims, expected] of SCOPES) {
  Deno.test(`jwtVerifier() with scopeClaim ${scopeClaim} reads the scopes of ${JSON.stringify(claims)}`, async () => {
    const { issuer, verify, refusals } = await issue(
      scopeClaim === undefined ? {} : { scopeClaim },
    );
    const found = await show(verify, await issuer.token(claims));
    if (typeof expected === "string") {
      assertEquals(refusals, [{ reason: "malformed", detail: expected }]);
    } else assertEquals("scopes" in found && found.scopes, expected);
  });
}

Deno.test("jwtVerifier() takes the client from client_id, or from azp", async () => {
  const { issuer, verify } = await issue();
  const clientOf = async (claims: object): Promise<string | undefined> => {
    const found = await show(verify, await issuer.token(claims));
    return "clientId" in found ? found.clientId : undefined;
  };
  assertEquals(await clientOf({ client_id: "c1", azp: "c2" }), "c1");
  assertEquals(await clientOf({ client_id: undefined, azp: "c2" }), "c2");
  assertEquals(await clientOf({ client_id: undefined }), undefined);
});

Deno.test("a rejected token results in one call of onRefused, and the result has only the reason", async () => {
  const { issuer, verify, refusals } = await issue();
  const found = await show(verify, await issuer.token({ aud: "https://other.example" }));
  assertEquals(found, { refused: { reason: "audience" } });
  assertEquals(refusals, [{
    reason: "audience",
    detail:
      '"aud" must be "https://mcp.example/mcp" (option "audience"), got "https://other.example"',
  }]);
});

Deno.test("onRefused can fail without effect on the result", async () => {
  const printed: string[] = [];
  using _print = stub(console, "error", (text: string) => printed.push(text));
  for (const onRefused of [() => fail(), () => Promise.reject(new Error("no log"))]) {
    const { verify } = await issue({ onRefused });
    assertEquals(await show(verify, "guess"), { refused: { reason: "malformed" } });
  }
  await Promise.resolve();
  const lines = printed.map((text) => text.split("\n")[0]);
  assertEquals(lines, [
    'jwtVerifier: Error: "onRefused" failed',
    'jwtVerifier: Error: "onRefused" failed',
  ]);
});

function fail(): never {
  throw new Error("no log");
}

Deno.test("jwtVerifier() copies its lists", async () => {
  const lists = { audience: ["https://a.example"], algorithms: ["ES256"] };
  const { issuer, verify } = await issue(lists);
  lists.audience.push(RESOURCE);
  lists.algorithms.pop();
  assertEquals(subjectOf(await show(verify, await issuer.token())), undefined);
  assertEquals(
    subjectOf(await show(verify, await issuer.token({ aud: "https://a.example" }))),
    "ada",
  );
});

Deno.test("jwtVerifier() never throws, whatever the token", async () => {
  const { issuer, verify } = await issue();
  const piece = fc.oneof(fc.base64String(), fc.json().map((text) => btoa(encodeURI(text))));
  const claims = fc.dictionary(
    fc.constantFrom("iss", "sub", "aud", "exp", "iat", "jti", "client_id", "cnf", "scope", "nbf"),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 5 }), claims, async (pieces, changed) => {
      assertEquals("refused" in await show(verify, pieces.join(".") || "x"), true);
      const found = await show(verify, await issuer.token(changed));
      if ("refused" in found) return;
      assertEquals(typeof found.subject, "string");
      assertEquals(found.scopes.every((scope) => typeof scope === "string"), true);
    }),
    propertyRuns(60),
  );
});

Deno.test("jwtVerifier() rejects insecure URLs", () => {
  assertThrows(() => jwtVerifier({ issuer: "http://login.example" }), McpError, '"issuer"');
  assertThrows(
    () => jwtVerifier({ issuer: ISSUER, jwksUri: "http://login.example/keys" }),
    McpError,
    '"jwksUri"',
  );
});

/** Test cases: options that are not valid, and the expected error. */
const MISTAKES: readonly (readonly [object, string])[] = [
  [{ algorithms: ["HS256"] }, '"algorithms[0]" must be'],
  [{ algorithms: ["none"] }, '"algorithms[0]" must be'],
  [{ algorithms: "ES256" }, '"algorithms" must be an array of strings, got "ES256"'],
  [{ audience: "" }, '"audience" must be a non-empty string, got an empty string'],
  [{ audience: 1 }, '"audience" must be an array of strings, got 1'],
  [{ typ: "JWT" }, '"typ" must be "at+jwt" or "any", got "JWT"'],
  [{ scopeClaim: ["scp"] }, '"scopeClaim" must be a string, got an array'],
  [{ clockToleranceSeconds: -1 }, '"clockToleranceSeconds" must be'],
  [{ clockToleranceSeconds: 30_000 }, "must be an integer from 0 to 3600, got 30000"],
  [{ clockToleranceSeconds: Infinity }, "must be an integer from 0 to 3600, got Infinity"],
  [{ audience: ["a", ""] }, '"audience[1]" must be'],
  [{ claimNames: "tid" }, '"claimNames" must be an array of strings, got "tid"'],
  [{ onRefused: "log" }, '"onRefused" must be a function, got "log"'],
];

for (const [options, message] of MISTAKES) {
  Deno.test(`jwtVerifier() does not accept the options ${JSON.stringify(options)}`, () => {
    assertThrows(() => jwtVerifier({ issuer: ISSUER, ...options }), Error, message);
  });
}
