import { assertEquals, assertThrows } from "@std/assert";
import { assertPrincipal, isPrincipal } from "./principal.ts";

const HOSTILE = new Proxy({}, {
  get() {
    throw new Error("unreadable");
  },
});

/** Test cases: a title, a value, and whether the value is a principal. */
const VALUES: readonly (readonly [string, unknown, boolean])[] = [
  ["a subject", { subject: "ada" }, true],
  ["a subject with scopes", { subject: "ada", scopes: ["read"], clientId: "x" }, true],
  ["a subject with no scopes", { subject: "ada", scopes: [] }, true],
  ["scopes as a string", { subject: "ada", scopes: "superadmin" }, false],
  ["scopes as a set", { subject: "ada", scopes: new Set(["read"]) }, false],
  ["scopes that are null", { subject: "ada", scopes: null }, false],
  ["a scope that is a number", { subject: "ada", scopes: ["read", 1] }, false],
  ["scopes with a hole", { subject: "ada", scopes: Array(1) }, false],
  ["a subject with spaces around", { subject: " ada " }, true],
  ["a subject in another script", { subject: "\u30a8\u30a4\u30c0" }, true],
  ["a subject with a key", { subject: "ada", key: "k" }, true],
  ["a key that is an object", { subject: "ada", key: {} }, false],
  ["a key that is null", { subject: "ada", key: null }, false],
  ["an empty subject", { subject: "" }, false],
  ["a subject of spaces", { subject: "  " }, false],
  ["a subject of line breaks and tabs", { subject: "\r\n\t" }, false],
  ["a subject of no-break spaces", { subject: "\u00a0\u3000" }, false],
  ["a subject of invisible characters", { subject: "\u200b\u0000\ufeff" }, false],
  ["no subject", { scopes: ["read"] }, false],
  ["a subject that is a number", { subject: 1 }, false],
  ["a promise", Promise.resolve({ subject: "ada" }), false],
  ["an array", ["ada"], false],
  ["a string", "ada", false],
  ["true", true, false],
  ["null", null, false],
  ["undefined", undefined, false],
  ["a proxy that throws", HOSTILE, false],
];

for (const [title, value, expected] of VALUES) {
  Deno.test(`isPrincipal() returns ${expected} for ${title}`, () => {
    assertEquals(isPrincipal(value), expected);
    if (expected) assertPrincipal("principal", value);
    else assertThrows(() => assertPrincipal("principal", value), TypeError, '"principal" must be');
  });
}
