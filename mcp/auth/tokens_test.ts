import { assertEquals } from "@std/assert";
import { parseTokens, type TokenOwner } from "./tokens.ts";

const BEARER = { issuer: "https://login.example", accessToken: "a1", type: "bearer" };
const BOUND = { ...BEARER, type: "dpop", jkt: "key-1" };

/** Stored tokens, keyed by title: the stored value, the client, and whether it uses the tokens. */
const STORED: Readonly<Record<string, readonly [unknown, TokenOwner, boolean]>> = {
  "bearer tokens": [BEARER, {}, true],
  "bearer tokens, for a client with a key": [BEARER, { jkt: "key-1" }, false],
  "bearer tokens with a thumbprint": [{ ...BEARER, jkt: "key-1" }, {}, false],
  "bearer tokens with a thumbprint, for a client with the key": [
    { ...BEARER, jkt: "key-1" },
    { jkt: "key-1" },
    false,
  ],
  "tokens of the key": [BOUND, { jkt: "key-1" }, true],
  "tokens of another key": [BOUND, { jkt: "key-2" }, false],
  "tokens of a key, for a client without a key": [BOUND, {}, false],
  "tokens of a key without a thumbprint": [{ ...BEARER, type: "dpop" }, { jkt: "key-1" }, false],
  "tokens of a key without a thumbprint, for a client without a key": [
    { ...BEARER, type: "dpop" },
    {},
    false,
  ],
  "tokens with a thumbprint that is not a string": [
    { ...BOUND, jkt: ["key-1"] },
    { jkt: "key-1" },
    false,
  ],
  "tokens of the client": [{ ...BEARER, clientId: "c1" }, { clientId: "c1" }, true],
  "tokens of another client": [{ ...BEARER, clientId: "c2" }, { clientId: "c1" }, false],
  "tokens of any client, for a client that registers": [{ ...BEARER, clientId: "c2" }, {}, true],
  "tokens without a client": [BEARER, { clientId: "c1" }, true],
  "tokens of another type": [{ ...BEARER, type: "mac" }, {}, false],
  "tokens without an issuer": [{ ...BEARER, issuer: undefined }, {}, false],
  "a token that is not valid in a header": [{ ...BEARER, accessToken: "a\n1" }, {}, false],
  "an array": [[BEARER], {}, false],
  "null": [null, {}, false],
};

for (const [title, [stored, owner, isUsed]] of Object.entries(STORED)) {
  Deno.test(`parseTokens() ${isUsed ? "returns" : "ignores"} ${title}`, () => {
    const tokens = parseTokens(JSON.stringify(stored), owner);
    assertEquals(tokens?.accessToken, isUsed ? "a1" : undefined);
    assertEquals(tokens?.jkt, isUsed ? owner.jkt : undefined);
  });
}

Deno.test("parseTokens() ignores an absent value and text that is not JSON", () => {
  for (const text of [undefined, "", "{", "a1"]) assertEquals(parseTokens(text), undefined);
});

Deno.test("parseTokens() drops members of the wrong type, and an empty refresh token", () => {
  const rest = {
    clientId: 7,
    scope: ["a"],
    refreshToken: "",
    expiresAt: "soon",
    origin: "granted",
  };
  assertEquals(parseTokens(JSON.stringify({ ...BEARER, ...rest })), {
    issuer: "https://login.example",
    accessToken: "a1",
    type: "bearer",
    origin: "kept",
  });
});
