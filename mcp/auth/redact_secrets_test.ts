import { assert, assertEquals, assertNotEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { McpError } from "../shared/error.ts";
import { propertyRuns } from "../../tools/testing/property.ts";
import { toBase64Url } from "./base64url.ts";
import { Secrets } from "./redact_secrets.ts";

const SECRET = 'p1anted/+= "s\\ecret"?&\u00e9';

function secretsOf(...values: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(...values);
  return secrets;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function base64Url(text: string): string {
  return toBase64Url(new TextEncoder().encode(text));
}

/** Encodes every character as a percent-encoded byte. */
function percentAll(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

function unicodeAll(text: string): string {
  return [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function hex(text: string): string {
  return percentAll(text).replaceAll("%", "");
}

/** Encodings of a secret, keyed by title. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  "percent-encoded completely": percentAll,
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "form-encoded": (text) => new URLSearchParams([["a", text]]).toString(),
  "in the query of a URL": (text) => `https://a.example/?a=1&token=${encodeURIComponent(text)}#f`,
  "in a JSON string": (text) => JSON.stringify({ a: text }),
  "in a JSON string in a JSON string": (text) => JSON.stringify(JSON.stringify({ a: text })),
  "escaped as in JSON, with slashes": (text) => JSON.stringify(text).replaceAll("/", "\\/"),
  "escaped as in JSON, completely": unicodeAll,
  "in base64": base64,
  "in base64 without padding": (text) => base64(text).replace(/=+$/, ""),
  "in base64url": base64Url,
  "in base64 in a URL": (text) => encodeURIComponent(base64(text)),
  "in Basic credentials": (text) => `Basic ${base64(`id:${text}`)}`,
  "in form-encoded Basic credentials": (text) =>
    `Basic ${base64(`my-id:${new URLSearchParams([["", text]]).toString().slice(1)}`)}`,
  "in base64 of JSON": (text) => base64(JSON.stringify({ secret: text })),
  "in hexadecimal": hex,
  "in hexadecimal with spaces": (text) => hex(text).replace(/..(?!$)/g, "$& "),
  "in hexadecimal with colons": (text) => hex(text).replace(/..(?!$)/g, "$&:"),
  "as hexadecimal numbers": (text) => hex(text).replace(/../g, "0x$&, "),
  "as bytes in JSON": (text) => JSON.stringify([...new TextEncoder().encode(text)]),
  "as bytes with spaces": (text) => new TextEncoder().encode(text).join(" "),
  "in octal escapes": (text) =>
    Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`)
      .join(""),
  "in base64 twice": (text) => base64(base64(text)),
  "in base64 three times": (text) => base64(base64(base64(text))),
  "in base64 of hexadecimal": (text) => base64(hex(text)),
  "in base64 in lines": (text) => base64(`${"x".repeat(50)}${text}`).replace(/.{20}/g, "$&\r\n"),
  "in quoted-printable": (text) => percentAll(text).replaceAll("%", "=").toUpperCase(),
  "in upper case": (text) => text.toUpperCase(),
  "with a line break": (text) => `${text.slice(0, 6)}\r\n${text.slice(6)}`,
  "with spaces between its characters": (text) => [...text].join(" "),
  "with invisible characters": (text) => [...text].join("\u200b"),
  "with NUL characters": (text) => [...text].join("\0"),
  "in full-width characters": (text) =>
    text.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
  "in a header": (text) => `authorization: Bearer ${text}`,
};

for (const [title, encode] of Object.entries(ENCODINGS)) {
  Deno.test(`Secrets.hide() removes a secret ${title}`, () => {
    for (const secret of [SECRET, "planted-access-token", "a+b/c=de"]) {
      const text = `before ${encode(secret)} after`;
      const hidden = secretsOf(secret).hide(text);
      assertNotEquals(hidden, text);
      for (const form of [secret, encode(secret), JSON.stringify(secret).slice(1, -1)]) {
        assert(!hidden.includes(form), hidden);
      }
      assertEquals(secretsOf("another-secret").hide(text), text);
    }
  });
}

Deno.test("Secrets.hide() removes every encoded secret from any text", () => {
  const encodings = fc.constantFrom(...Object.values(ENCODINGS));
  // Repetitive secrets are excluded, because a part of them can be part of other text.
  const secret = fc.stringMatching(/^[\w+/=~ -]{12,40}$/).filter((text) => new Set(text).size > 6);
  fc.assert(
    fc.property(secret, encodings, fc.nat(3), (text, encode, shift) => {
      const given = `${"x".repeat(shift)} ${encode(text)} `;
      const hidden = secretsOf(text).hide(given);
      assert(!hidden.includes(text) && !hidden.includes(encode(text)), hidden);
    }),
    propertyRuns(200),
  );
});

Deno.test("Secrets.hide() does not change text without a secret", () => {
  const secrets = secretsOf("abc", "", SECRET);
  for (const text of ["abcdef", "", "a%zz \\u12 \\", "https://a.example/b?c=%20#d", "Y2FmZQ=="]) {
    assertEquals(secrets.hide(text), text);
  }
});

Deno.test("Secrets.hide() removes a long secret", () => {
  const secret = "planted-".repeat(40_000);
  assertEquals(
    secretsOf(secret).hide(`token ${secret} and ${btoa(secret)}`).includes("planted"),
    false,
  );
});

Deno.test("Secrets tracks a limited number of secrets", () => {
  const secrets = secretsOf("the oldest secret");
  for (let index = 0; index < 100; index++) secrets.add(`number ${index} of many`);
  assertEquals(secrets.hide("number 99 of many"), "...");
  assertEquals(secrets.hide("the oldest secret"), "the oldest secret");
});

Deno.test("Secrets.hideForeign() removes secrets that are not known", () => {
  const secrets = secretsOf();
  for (
    const [text, hidden] of [
      ['{"access_token":"abc","error":"x"}', '{"access_token":"...","error":"x"}'],
      ['{\\"refresh_token\\": \\"abc\\"}', '{\\"refresh_token\\": \\"...\\"}'],
      ["grant_type=a&code=abc&client_secret=def", "grant_type=a&code=...&client_secret=..."],
      [`token ${"eyJ0".repeat(12)}`, "token ..."],
      ["the code is invalid", "the code is invalid"],
    ] as const
  ) {
    assertEquals(secrets.hideForeign(text), hidden);
  }
});

/** All information about an error that a log could contain, including nested values. */
function describe(error: unknown): string {
  return Deno.inspect(error, { depth: 20, showHidden: true, strAbbreviateSize: Infinity }) +
    JSON.stringify(error);
}

/** Errors that contain a secret, keyed by title. */
const ERRORS: Readonly<Record<string, (secret: string) => unknown>> = {
  "its message": (secret) => new TypeError(`invalid header: Bearer ${secret}`),
  "the message of its cause": (secret) => new Error("a", { cause: new Error(secret) }),
  "a cause that is a string": (secret) => new Error("a", { cause: secret }),
  "a cause that is data": (secret) => new Error("a", { cause: { body: { token: [secret] } } }),
  "a request that it refers to": (secret) =>
    Object.assign(new Error("a"), {
      request: new Request("https://a.example", { headers: { authorization: secret } }),
    }),
  "headers that it refers to": (secret) =>
    Object.assign(new Error("a"), { config: { headers: new Headers({ authorization: secret }) } }),
  "one of several errors": (secret) => new AggregateError([new Error(secret)], "a"),
  "a member with the name of a symbol": (secret) =>
    Object.assign(new Error("a"), { [Symbol("body")]: secret }),
  "a member that is not enumerable": (secret) =>
    Object.defineProperty(new Error("a"), "body", { value: secret }),
  "the name of a member": (secret) => Object.assign(new Error("a"), { sent: { [secret]: 1 } }),
  "its code": (secret) => Object.assign(new Error("a"), { code: secret }),
  "its stack": (secret) => Object.assign(new Error("a"), { stack: `at ${secret}` }),
  "the details of an McpError": (secret) => McpError.authError(`rejected: ${secret}`),
  "the data of an McpError": (secret) => McpError.authError("a", { data: { secret } }),
  "a getter of its class": (secret) =>
    new (class extends Error {
      get parameters(): readonly string[] {
        return [secret];
      }
    })("a"),
  "its JSON": (secret) => Object.assign(new Error("a"), { toJSON: () => ({ secret }) }),
  "the JSON of its cause": (secret) => new Error("a", { cause: { toJSON: () => [secret] } }),
  "a thrown string": (secret) => secret,
  "a thrown object": (secret) => ({ secret }),
  "deep data": (secret) =>
    new Error("a", { cause: Array.from({ length: 20 }).reduce((inner) => [inner], secret) }),
};

for (const [title, create] of Object.entries(ERRORS)) {
  Deno.test(`Secrets.clean() removes a secret in ${title}`, () => {
    for (const secret of ["planted-secret", btoa("id:planted-secret"), "planted%2Dsecret"]) {
      const text = describe(secretsOf("planted-secret").clean(create(secret)));
      assert(!text.includes(secret), text);
      assert(!text.includes("planted-secret"), text);
    }
  });
}

/** Errors whose text can change after it was checked, or is not determined by their members. */
const CHANGING: Readonly<Record<string, (secret: string) => unknown>> = {
  "toJSON()": (secret) => {
    let count = 0;
    return Object.assign(new Error("a"), { toJSON: () => count++ === 0 ? {} : { secret } });
  },
  "toJSON() of its class": (secret) =>
    new (class extends Error {
      toJSON() {
        return { secret };
      }
    })("a"),
  "toString()": (secret) => Object.assign(new Error("a"), { toString: () => secret }),
  "Symbol.toPrimitive": (secret) =>
    Object.assign(new Error("a"), { [Symbol.toPrimitive]: () => secret }),
  "a method for the loggers of Node.js": (secret) =>
    Object.assign(new Error("a"), { [Symbol.for("nodejs.util.inspect.custom")]: () => secret }),
  "a method for the loggers of Deno": (secret) =>
    Object.assign(new Error("a"), { [Symbol.for("Deno.customInspect")]: () => secret }),
  "a cause that changes": (secret) => {
    let count = 0;
    const get = () => count++ === 0 ? undefined : new Error(secret);
    return Object.defineProperty(new Error("a"), "cause", { get });
  },
  "toJSON() of its cause": (secret) => {
    let count = 0;
    return new Error("a", { cause: { toJSON: () => count++ === 0 ? 1 : secret } });
  },
  "toString() of its cause": (secret) => new Error("a", { cause: { toString: () => secret } }),
  "a function as its cause": (secret) =>
    new Error("a", { cause: Object.assign(() => {}, { secret }) }),
  "a symbol as its cause": (secret) => new Error("a", { cause: Symbol(secret) }),
};

for (const [title, create] of Object.entries(CHANGING)) {
  Deno.test(`Secrets.clean() copies an error with a secret in ${title}`, () => {
    const error = create("planted-secret");
    const cleaned = secretsOf("planted-secret").clean(error);
    assert(cleaned instanceof Error && cleaned !== error);
    for (let count = 0; count < 3; count++) {
      const text = `${describe(cleaned)} ${cleaned} ${String(cleaned.cause)}`;
      assert(!text.includes("planted"), text);
    }
  });
}

Deno.test("Secrets.hide() replaces a text that is too long to be searched", () => {
  const long = "x ".repeat(200_000);
  assertEquals(
    secretsOf("planted-secret").hide(long),
    "[text that is too long to be searched for secrets]",
  );
  assertEquals(secretsOf().hide(long), long);
});

Deno.test("Secrets.clean() returns an error without a secret unchanged", () => {
  const secrets = secretsOf("planted-secret");
  const cause = new AggregateError([Object.assign(new Error("b"), { code: "ECONNREFUSED" })], "c");
  const aborted = new DOMException("a", "AbortError");
  for (
    const error of [
      new TypeError("a", { cause }),
      McpError.authError("a"),
      aborted,
      "text",
      undefined,
    ]
  ) {
    assertStrictEquals(secrets.clean(error), error);
  }
});

Deno.test("Secrets.clean() replaces an error that cannot be inspected", () => {
  const fail = () => {
    throw new Error("planted-secret");
  };
  for (
    const error of [
      new Proxy(new Error("a"), { get: fail }),
      new Proxy({}, { ownKeys: fail }),
      Object.defineProperty(new Error("a"), "message", { get: fail }),
    ]
  ) {
    const cleaned = secretsOf("planted-secret").clean(error);
    assertEquals(String(cleaned), "Error: [error that cannot be inspected]");
  }
});

Deno.test("Secrets.clean() keeps the class, the code and the status of an error", () => {
  const secrets = secretsOf("planted-secret");
  const cause = Object.assign(new TypeError("b"), { code: "ECONNREFUSED" });
  const given = McpError.authError("planted-secret", { cause, httpStatus: 503, scope: "read" });
  const cleaned = secrets.clean(given);
  assert(cleaned instanceof McpError && cleaned.is("auth_error"));
  assertEquals([cleaned.httpStatus, cleaned.details], [503, { reason: "...", scope: "read" }]);
  assert(cleaned.cause instanceof Error);
  assertEquals([cleaned.cause.name, Reflect.get(cleaned.cause, "code")], [
    "TypeError",
    "ECONNREFUSED",
  ]);
});

Deno.test("Secrets.clean() accepts errors that refer to themselves", () => {
  const error = new Error("planted-secret");
  error.cause = error;
  const cleaned = secretsOf("planted-secret").clean(error);
  assert(cleaned instanceof Error && !describe(cleaned).includes("planted"));
});
