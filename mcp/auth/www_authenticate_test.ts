import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { parseChallenges, readAuthChallenge, wantsNonce } from "./www_authenticate.ts";

const HEADERS: readonly (readonly [string, readonly (readonly [string, object])[]])[] = [
  ["Bearer", [["bearer", {}]]],
  ["Bearer realm=x", [["bearer", { realm: "x" }]]],
  ['Bearer realm="a, b", scope="read write"', [["bearer", { realm: "a, b", scope: "read write" }]]],
  ['BEARER Error = "invalid_token"', [["bearer", { error: "invalid_token" }]]],
  ['Bearer error="say \\"no\\""', [["bearer", { error: 'say "no"' }]]],
  ["Basic, Bearer a=1,b=2 , DPoP", [["basic", {}], ["bearer", { a: "1", b: "2" }], ["dpop", {}]]],
  ["Negotiate YWJj==, Bearer", [["negotiate", {}], ["bearer", {}]]],
  ["Bearer a=1, a=2", [["bearer", { a: "1" }]]],
  [", Bearer ,", [["bearer", {}]]],
  // A malformed header is treated as a header without challenges.
  ["", []],
  ["a=1", []],
  ['Bearer realm="open', []],
  ["Bearer realm=(x)", []],
  ["Bearer realm=x y", []],
];

for (const [header, expected] of HEADERS) {
  Deno.test(`parseChallenges() reads ${JSON.stringify(header)}`, () => {
    const found = parseChallenges(header)
      .map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
    assertEquals(found, expected as unknown as typeof found);
  });
}

Deno.test("parseChallenges() returns an empty list for a header that is too long or has too many challenges", () => {
  assertEquals(parseChallenges(`Bearer realm="${"x".repeat(9000)}"`), []);
  assertEquals(parseChallenges(Array.from({ length: 65 }, () => "Basic").join(", ")), []);
});

Deno.test("parseChallenges() never throws and takes linear time", () => {
  const piece = fc.constantFrom('"', "\\", ",", "=", " ", "a", "Bearer ", "\t", "é");
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(piece).map((parts) => parts.join(""))), (text) => {
      assert(Array.isArray(parseChallenges(text)));
    }),
    propertyRuns(300),
  );
  const start = performance.now();
  for (const unit of ["a", 'a="\\', "a= ", ",a", " "]) {
    parseChallenges(unit.repeat(8000 / unit.length));
  }
  assert(performance.now() - start < 1000);
});

function refusal(status: number, header?: string, more: HeadersInit = {}): Response {
  const headers = new Headers(more);
  if (header !== undefined) headers.set("www-authenticate", header);
  return new Response(null, { status, headers });
}

Deno.test("readAuthChallenge() distinguishes a missing token from missing scopes", () => {
  assertEquals(readAuthChallenge(refusal(200)), undefined);
  assertEquals(readAuthChallenge(refusal(401)), { kind: "token" });
  assertEquals(readAuthChallenge(refusal(401, 'Basic realm="x"')), { kind: "token" });
  assertEquals(
    readAuthChallenge(refusal(401, 'Bearer scope="a b", resource_metadata="https://x.example/m"')),
    { kind: "token", scope: "a b", resourceMetadata: "https://x.example/m" },
  );
  assertEquals(readAuthChallenge(refusal(403, "Bearer")), undefined);
  assertEquals(readAuthChallenge(refusal(403, 'Bearer error="insufficient_scope", scope="c"')), {
    kind: "scope",
    scope: "c",
  });
  // If a header has several challenges, the function reads the challenge with the metadata URL.
  assertEquals(
    readAuthChallenge(refusal(401, 'Bearer, DPoP resource_metadata="https://x.example/m"')),
    {
      kind: "token",
      resourceMetadata: "https://x.example/m",
    },
  );
});

Deno.test("wantsNonce() returns true only if the nonce and the error code are present", () => {
  const reason = 'DPoP error="use_dpop_nonce"';
  assertEquals(wantsNonce(refusal(401, reason, { "dpop-nonce": "n" })), true);
  assertEquals(wantsNonce(refusal(401, reason)), false);
  assertEquals(wantsNonce(refusal(401, "DPoP", { "dpop-nonce": "n" })), false);
  assertEquals(wantsNonce(refusal(403, reason, { "dpop-nonce": "n" })), false);
});
