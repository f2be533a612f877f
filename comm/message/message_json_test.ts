import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { canonicalize } from "../canonical/canonical_json.ts";
import { CommError } from "../shared/error.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import { AgentCommMessage } from "./message.ts";
import { formatMessage, parseMessage, type ParseMessageOptions } from "./message_json.ts";
import { signingPayload } from "../signing/signing.ts";

const WIRE = {
  id: "1",
  sender: "did:web:ann.example",
  recipient: "did:web:bob.example",
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: { n: 1 },
  timestamp: "2026-01-02T03:04:05.678Z",
};

function refusalOf(wire: unknown): CommError {
  return assertThrows(() => parseMessage(JSON.stringify(wire)), CommError);
}

Deno.test("parseMessage() accepts a string or bytes", () => {
  const text = JSON.stringify({ ...WIRE, correlationId: "c", replyTo: "r", signature: "s" });
  const message = parseMessage(text);
  assertEquals([message.correlationId, message.replyTo, message.signature], ["c", "r", "s"]);
  assertEquals(message.payload, { n: 1 });
  assert(parseMessage(new TextEncoder().encode(text)).equals(message));
});

Deno.test("parseMessage() rejects a missing required member", () => {
  for (const field of Object.keys(WIRE)) {
    const { [field]: _removed, ...rest } = { ...WIRE } as Record<string, unknown>;
    const error = refusalOf(rest);
    assert(error.is("invalid_message"));
    assertEquals(error.details, { field, reason: "is missing" });
  }
});

Deno.test("parseMessage() rejects members of the wrong type", () => {
  const wrong = {
    id: 1,
    correlationId: 1,
    replyTo: [],
    sender: {},
    recipient: true,
    protocol: null,
    messageType: 0,
    signature: 5,
    timestamp: 1767323045678,
  };
  for (const [field, value] of Object.entries(wrong)) {
    const error = refusalOf({ ...WIRE, [field]: value });
    assert(error.is("invalid_message"), field);
    assertEquals(error.details.field, field);
  }
});

Deno.test("parseMessage() rejects values that are not objects", () => {
  for (const wire of [null, 1, "x", [], [WIRE]]) {
    assertEquals(refusalOf(wire).code, "invalid_message");
  }
});

Deno.test("parseMessage() treats null as absent in optional members, but not in the payload", () => {
  const wire = { ...WIRE, correlationId: null, replyTo: null, signature: null, payload: null };
  const message = parseMessage(JSON.stringify(wire));
  assertEquals(message.correlationId, undefined);
  assertEquals(message.toJSON(), { ...WIRE, payload: null });
});

Deno.test("parseMessage() rejects a duplicate member at any depth", () => {
  const twice = `{"payload":1,${JSON.stringify(WIRE).slice(1)}`;
  const error = assertThrows(() => parseMessage(twice), CommError);
  assert(error.is("duplicate_member"));
  assertEquals(error.details.path, "/payload");
});

Deno.test("parseMessage() stores unknown members, or rejects them if requested", () => {
  const text = JSON.stringify({ ...WIRE, ttl: 5 }).replace('"ttl"', '"__proto__":{},"ttl"');
  const message = parseMessage(text);
  assertEquals(JSON.stringify(message.extensions), '{"__proto__":{},"ttl":5}');
  assert(parseMessage(formatMessage(message)).equals(message));
  const error = assertThrows(() => parseMessage(text, { unknownMembers: "reject" }), CommError);
  assertEquals(error.code, "invalid_message");
  parseMessage(JSON.stringify(WIRE), { unknownMembers: "reject" });
  // @ts-expect-error a typo must not keep unknown members
  assertThrows(() => parseMessage(text, { unknownMembers: "rejct" }), TypeError, "unknownMembers");
});

Deno.test("parseMessage() rejects messages that exceed maxBytes or maxDepth", () => {
  const text = JSON.stringify(WIRE);
  assertThrows(() => parseMessage(text, { maxBytes: text.length - 1 }), CommError, "at most");
  assertThrows(() => parseMessage(text, { maxDepth: 1 }), CommError, "1 levels");
});

/** Returns the parsed message as text, or the code and details of the error. */
function outcomeOf(input: string | Uint8Array, options?: ParseMessageOptions): unknown {
  try {
    return formatMessage(parseMessage(input, options));
  } catch (error) {
    assert(error instanceof CommError);
    return [error.code, error.details];
  }
}

/** Canonical JSON of a message. Compact JSON whose members are in another order is read like it. */
const CANONICAL = formatMessage(parseMessage(JSON.stringify({ ...WIRE, correlationId: "c" })));

const INDENTED = `{
  "id": "1",
  "sender": "did:web:ann.example",
  "recipient": "did:web:bob.example",
  "protocol": "agent.task.v1",
  "messageType": "task_assign",
  "payload": {
    "n": 1
  },
  "timestamp": "2026-01-02T03:04:05.678Z"
}`;
const SPACED = INDENTED.replaceAll(/\n */g, " ").replace("{ ", "{");

const NEARLY_COMPACT: readonly (readonly [name: string, text: string])[] = [
  ["a canonical message", CANONICAL],
  ["a number with the fraction .0", CANONICAL.replace('"n":1', '"n":1.0')],
  ["an exponent", CANONICAL.replace('"n":1', '"n":1e0')],
  ["minus zero", CANONICAL.replace('"n":1', '"n":-0')],
  ["a large double as ECMAScript writes it", CANONICAL.replace('"n":1', '"n":1e+21')],
  ["2^53 + 1", CANONICAL.replace('"n":1', '"n":9007199254740993')],
  ["2^63 as ECMAScript writes it", CANONICAL.replace('"n":1', '"n":9223372036854776000')],
  ["1e400", CANONICAL.replace('"n":1', '"n":1e400')],
  ["a duplicate member name", CANONICAL.replace('"n":1', '"n":1,"n":1')],
  [
    "a duplicate member name with an escape sequence",
    CANONICAL.replace('"n":1', '"n":1,"\\u006e":1'),
  ],
  ["a member name with an escape sequence", CANONICAL.replace('"n":1', '"\\u006e":1')],
  ["a member named __proto__", CANONICAL.replace('"n":1', '"__proto__":1')],
  ["member names that look like array indices", CANONICAL.replace('"n":1', '"10":1,"9":2')],
  ["unsorted member names", CANONICAL.replace('"n":1', '"n":1,"m":1')],
  ["a lone surrogate", CANONICAL.replace('"n":1', '"n":"\\ud800"')],
  ["whitespace", CANONICAL.replace('"n":1', '"n": 1')],
  ["a line feed after the message", `${CANONICAL}\n`],
  ['a second "id" member', CANONICAL.replace('"id":"1"', '"id":"1","id":"1"')],
  ["an id that is null", CANONICAL.replace('"id":"1"', '"id":null')],
  ["a replyTo that is null", CANONICAL.replace('"sender"', '"replyTo":null,"sender"')],
  ["a replyTo", CANONICAL.replace('"sender"', '"replyTo":"r","sender"')],
  [
    "a signature with a character that needs escaping",
    CANONICAL.replace('"timestamp"', '"signature":"\\"","timestamp"'),
  ],
  [
    "a lone surrogate in an unknown member",
    CANONICAL.replace('"payload"', '"x":"\\udfff","payload"'),
  ],
  ["a name with a lone surrogate", CANONICAL.replace('"n":1', '"\\ud800":1')],
  ["an escaped backslash before ud800", CANONICAL.replace('"n":1', '"n":"\\\\ud800"')],
  ["members in another order", JSON.stringify({ ...WIRE, payload: { b: [{ d: 1, c: 2 }], a: 1 } })],
  ["an escaped solidus", CANONICAL.replace('"n":1', '"n":"\\/"')],
  ["a member named toJSON", CANONICAL.replace('"n":1', '"toJSON":1')],
  ["an unknown member", CANONICAL.replace('"payload"', '"other":1,"payload"')],
  ["no timestamp", CANONICAL.replace(/,"timestamp":"[^"]*"/, "")],
  ["127 levels", CANONICAL.replace('{"n":1}', "[".repeat(127) + "]".repeat(127))],
  ["128 levels", CANONICAL.replace('{"n":1}', "[".repeat(128) + "]".repeat(128))],
  ["indentation", INDENTED],
  ["indentation with tabs", INDENTED.replaceAll("  ", "\t")],
  ["indentation by 11 spaces", INDENTED.replaceAll("  ", " ".repeat(11))],
  ["indentation and a line feed after the message", `${INDENTED}\n`],
  ["indentation and carriage returns", INDENTED.replaceAll("\n", "\r\n")],
  ["indentation that differs in one line", INDENTED.replace('    "n"', '   "n"')],
  ["indentation and a duplicate member name", INDENTED.replace('"n": 1', '"n": 1,\n    "n": 1')],
  ["indentation and a number with the fraction .0", INDENTED.replace('"n": 1', '"n": 1.0')],
  ["indentation and 2^53 + 1", INDENTED.replace('"n": 1', '"n": 9007199254740993')],
  ["indentation and a lone surrogate", INDENTED.replace('"n": 1', '"n": "\\udfff"')],
  ["a space after each colon and comma", SPACED],
  ["a space after the first colon only", CANONICAL.replace(":", ": ")],
  ["a space after the second colon", CANONICAL.replace('"id":', '"id": ')],
  ["only a brace", "{"],
  ["a brace and a line feed", "{\n"],
  ["a line feed in an empty object", "{\n}"],
  ["a payload of 20,000 characters", CANONICAL.replace('{"n":1}', `"${"x".repeat(20_000)}"`)],
  ["a payload of 300,000 characters", CANONICAL.replace('{"n":1}', `"${"x".repeat(300_000)}"`)],
];

/**
 * Parses ASCII text as a string and as bytes, both with the default limit and with a limit that
 * keeps `parseMessage` from calling `JSON.parse` first.
 */
function assertSameOutcomes(text: string): void {
  const bytes = new TextEncoder().encode(text);
  const strict = outcomeOf(text, { maxBytes: bytes.length });
  assertEquals(outcomeOf(text), strict, text);
  assertEquals(outcomeOf(bytes), strict, text);
  assertEquals(outcomeOf(bytes, { maxBytes: bytes.length }), strict, text);
}

for (const [name, text] of NEARLY_COMPACT) {
  Deno.test(`parseMessage() returns the same result for a string and for bytes: ${name}`, () => {
    assertSameOutcomes(text);
  });
}

Deno.test("parseMessage() returns the same result for a string and for bytes after any change", () => {
  // Offsets in a string count code units, so the text is ASCII.
  const text = new TextDecoder().decode(RICH).replace("\\u00e9\\n\u{1f600}", "\\n");
  const compact = JSON.stringify(JSON.parse(text));
  const insert = fc.constantFrom(
    "",
    "1",
    ",",
    '"',
    "{",
    "}",
    "]",
    " ",
    "\\",
    '"n":1,',
    "\\ud800",
    "null",
  );
  const edit = fc.tuple(fc.nat(compact.length), fc.nat(4), insert);
  fc.assert(
    fc.property(
      fc.constantFrom(text, compact, CANONICAL, INDENTED, SPACED),
      edit,
      (start, [at, remove, added]) => {
        const changed = start.slice(0, at) + added + start.slice(at + remove);
        assertSameOutcomes(changed);
      },
    ),
    propertyRuns(3000),
  );
});

/** Signed members in canonical JSON, without the payload and the braces. */
const SIGNED = [
  '"id":"1","messageType":"task_assign","payload":',
  ',"protocol":"agent.task.v1"' +
  ',"recipient":"did:web:bob.example","sender":"did:web:ann.example"}',
] as const;

Deno.test("parseMessage() provides the canonical signing payload, whatever the form of the text", () => {
  const optional: readonly (readonly [JsonObject, string])[] = [
    [{}, "{"],
    [{ signature: "s" }, "{"],
    [{ signature: 'a"b' }, "{"],
    [{ replyTo: "r" }, "{"],
    [{ replyTo: "r\n", signature: "s" }, "{"],
    [{ replyTo: "r", signature: "\\" }, "{"],
    [{ replyTo: ',"sender":"', signature: ',"timestamp":"' }, "{"],
    [{ correlationId: "c", replyTo: "r", signature: "s" }, '{"correlationId":"c",'],
    [{ correlationId: null, replyTo: null, signature: null }, "{"],
    [{ x: [1, { b: 1, a: 2 }] }, "{"],
  ];
  const payloads: readonly (readonly [text: string, canonical: string])[] = [
    ["null", "null"],
    ['{"b":[{"d":1,"c":-0}],"a":"é"}', '{"a":"é","b":[{"c":0,"d":1}]}'],
    ['{"9":1,"10":[2]}', '{"10":[2],"9":1}'],
    ['[{"9":1,"a":2},{"10":3}]', '[{"9":1,"a":2},{"10":3}]'],
    ['{"payload":{"sender":",\\"sender\\":\\""}}', '{"payload":{"sender":",\\"sender\\":\\""}}'],
    ['{"":1,"__proto__":{"b":1,"a":1}}', '{"":1,"__proto__":{"a":1,"b":1}}'],
  ];
  for (const [members, start] of optional) {
    for (const [payload, canonical] of payloads) {
      const wire = { ...WIRE, ...members, payload: JSON.parse(payload) };
      const sorted = Object.fromEntries(
        Object.entries(wire).toSorted(([a], [b]) => a < b ? -1 : 1),
      );
      const expected = start + SIGNED.join(canonical);
      for (const value of [wire, sorted]) {
        for (const indent of ["", "  ", "\t"]) {
          const message = parseMessage(JSON.stringify(value, undefined, indent));
          assertEquals(new TextDecoder().decode(signingPayload(message)), expected);
        }
      }
    }
  }
});

/** Returns `true` if a value and everything that it contains is frozen. */
function isDeeplyFrozen(value: unknown): boolean {
  return Object.isFrozen(value) &&
    (typeof value !== "object" || value === null || Object.values(value).every(isDeeplyFrozen));
}

Deno.test("parseMessage() sorts and freezes the payload and the extensions", () => {
  const members = '"payload":{"b":[{"d":[-0,1],"c":{}}],"a":[[]]},"y":{"b":[],"a":[{}]},"x":-0}';
  const compact = JSON.stringify(WIRE).slice(0, -1).replace('"payload":{"n":1},', "");
  const indented = JSON.stringify(JSON.parse(`${compact},${members}`), undefined, 2);
  for (const text of [`${compact},${members}`, `${compact} , ${members}`, indented]) {
    const message = parseMessage(text);
    assertEquals(JSON.stringify(message.payload), '{"a":[[]],"b":[{"c":{},"d":[0,1]}]}');
    assertEquals(JSON.stringify(message.extensions), '{"x":0,"y":{"a":[{}],"b":[]}}');
    assert(isDeeplyFrozen(message.payload) && isDeeplyFrozen(message.extensions));
    assert(Object.is(message.extensions.x, 0));
  }
});

Deno.test("parseMessage() ignores toJSON on a shared prototype", () => {
  for (const prototype of [Object.prototype, Array.prototype]) {
    Object.defineProperty(prototype, "toJSON", { value: () => "forged", configurable: true });
    try {
      const message = parseMessage(CANONICAL.replace('"n":1', '"n":[1]'));
      assertEquals(message.payload, { n: [1] });
    } finally {
      Reflect.deleteProperty(prototype, "toJSON");
    }
  }
});

Deno.test("formatMessage() and signingPayload() do not cache objects that resemble a message", () => {
  const like = Object.assign(Object.create(AgentCommMessage.prototype), parseMessage(CANONICAL));
  const decoder = new TextDecoder();
  for (const payload of [{ n: 1 }, { n: 2 }, { "10": 1, "9": 2 }]) {
    like.payload = payload;
    const { timestamp: _timestamp, ...covered } = JSON.parse(formatMessage(like));
    assertEquals(covered.payload, payload);
    assertEquals(decoder.decode(signingPayload(like)), canonicalize(covered));
  }
  like.replyTo = "\ud800";
  assertThrows(() => formatMessage(like), CommError, "replyTo");
});

Deno.test("formatMessage() and equals() ignore an overridden toJSON()", () => {
  const genuine = new AgentCommMessage({ ...parseMessage(CANONICAL), extensions: { ttl: 5 } });
  class Liar extends AgentCommMessage {
    override toJSON(): JsonObject {
      return genuine.toJSON();
    }
  }
  const liar = new Liar({ ...genuine, payload: 2 });
  for (const message of [liar, Object.assign(Object.create(Liar.prototype), liar)]) {
    assertEquals(JSON.parse(formatMessage(message)).payload, 2);
    assertFalse(genuine.equals(message));
  }
});

Deno.test("formatMessage() writes canonical JSON", () => {
  const message = new AgentCommMessage(WIRE);
  assertEquals(
    formatMessage(message),
    '{"id":"1","messageType":"task_assign","payload":{"n":1},"protocol":"agent.task.v1",' +
      '"recipient":"did:web:bob.example","sender":"did:web:ann.example",' +
      '"timestamp":"2026-01-02T03:04:05.678Z"}',
  );
});

Deno.test("parseMessage() parses the output of formatMessage()", () => {
  const text = fc.string({ unit: "binary", minLength: 1 }).filter((value) => value.isWellFormed());
  const optional = fc.option(text, { nil: undefined });
  const init = fc.record({
    id: text,
    correlationId: optional,
    replyTo: optional,
    signature: optional,
    protocol: text,
    messageType: text,
    payload: fc.jsonValue().filter((value) => isJsonValue(value)),
    timestamp: fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
  });
  fc.assert(
    fc.property(init, (fields) => {
      const { sender, recipient } = WIRE;
      const payload = isJsonValue(fields.payload) ? fields.payload : null;
      const message = new AgentCommMessage({ ...fields, payload, sender, recipient });
      const read = parseMessage(formatMessage(message));
      assertEquals(read.toJSON(), message.toJSON());
      assert(read.equals(message));
    }),
    propertyRuns(300),
  );
});

/** A message that uses many features of JSON. */
const RICH = new TextEncoder().encode(
  `{"id":"1","correlationId":null,"sender":"${WIRE.sender}","recipient":"${WIRE.recipient}",` +
    '"protocol":"agent.task.v1","messageType":"task_assign","timestamp":"2026-01-02T03:04:05.678Z",' +
    '"payload":{"n":[0,-1.5e-7,9007199254740991],"s":"\\u00e9\\n\u{1f600}","__proto__":{}},"proof":{}}',
);

/** Bytes of a message with random changes, removals and repetitions. */
function arbitraryMutation(): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({
    at: fc.nat(RICH.length - 1),
    remove: fc.nat(3),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "\\ud800", "1e999", "null", '"id":')
        .map((text) => new TextEncoder().encode(text)),
    ),
  });
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
    edits.reduce(
      (bytes, { at, remove, insert }) =>
        Uint8Array.from([...bytes.subarray(0, at), ...insert, ...bytes.subarray(at + remove)]),
      RICH,
    )
  );
}

Deno.test("parseMessage() returns a message or throws a CommError for any bytes", () => {
  parseMessage(RICH);
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), arbitraryMutation());
  fc.assert(
    fc.property(bytes, (input) => {
      let message: AgentCommMessage;
      try {
        message = parseMessage(input, { maxBytes: 1000 });
      } catch (error) {
        assert(error instanceof CommError, String(error));
        assert(error.message.length < 500);
        return;
      }
      assert(parseMessage(formatMessage(message)).equals(message));
    }),
    propertyRuns(5000),
  );
});

Deno.test("parseMessage() is fast for hostile input of the maximum size", () => {
  const size = 1024 * 1024;
  const hostile = [
    "[".repeat(size),
    `{"a":`.repeat(size / 5),
    `"${"\\u0041".repeat(size / 6 - 1)}"`,
    `"${"\\".repeat(size - 2)}"`,
    "1".repeat(size),
    `[${"1e1,".repeat(size / 4 - 1)}`,
    `{${Array.from({ length: 80_000 }, (_, index) => `"${index}":0`).join(",")}`.slice(0, size),
    " ".repeat(size),
  ];
  for (const text of hostile) {
    const started = performance.now();
    assertThrows(() => parseMessage(text), CommError);
    assert(performance.now() - started < 2000, `parsing ${text.slice(0, 10)} took too long`);
  }
});
