import { assert, assertEquals, assertFalse, assertInstanceOf, assertThrows } from "@std/assert";
import { KitError } from "./error.ts";
import { parseCaseFile, readCaseFile, readSuite } from "./load_cases.ts";

const VECTOR = {
  id: "comm/x/y",
  kind: "vector",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-X-1"],
  why: "w",
  source: "by hand",
  op: "comm.x",
  input: {},
  expect: { ok: {} },
};
const { input: _input, expect: _expect, ...BARE } = VECTOR;
const { kind: _kind, ...KINDLESS } = VECTOR;
const EXCHANGE = {
  ...KINDLESS,
  id: "comm/x/z",
  kind: "exchange",
  role: "server",
  op: undefined,
  input: undefined,
  expect: undefined,
  steps: [{ alive: true }],
};
const ROW = { input: {}, expect: { ok: {} } };

function file(...cases: readonly unknown[]): Record<string, unknown> {
  // Members that are undefined are removed, as in JSON.
  return JSON.parse(JSON.stringify({ kit: 1, cases }));
}

function reasonOf(value: unknown): string {
  const result = readCaseFile(value);
  assertFalse(result.ok);
  return result.reason;
}

Deno.test("readCaseFile() returns a vector with one input as a single row", () => {
  const result = readCaseFile(file(VECTOR));
  assert(result.ok);
  const [first] = result.value.cases;
  assert(first?.kind === "vector");
  assertEquals(first.rows, [{ name: "", input: {}, expect: { ok: {} } }]);
});

Deno.test("readCaseFile() reports the path and the reason if a file is invalid", () => {
  const refused: readonly (readonly [unknown, string])[] = [
    [null, "/: Instance type"],
    [{ ...file(VECTOR), kit: 2 }, "/kit: "],
    [{ ...file(VECTOR), colour: "red" }, "colour"],
    [file(), "/cases: Array has too few items"],
    [file({ ...VECTOR, foo: 1 }), '/cases/0: has no member "foo"'],
    [file({ ...VECTOR, id: "Comm/X/Y" }), "/cases/0/id: String does not match"],
    [file({ ...VECTOR, kind: "dance" }), "/cases/0/kind: "],
    [file({ ...VECTOR, level: "WOULD" }), "/cases/0/level: "],
    [file({ ...VECTOR, basis: "mcp" }), "/cases/0/basis: "],
    [file({ ...VECTOR, control: "Z9" }), "/cases/0/control: "],
    [file({ ...VECTOR, needs: { luck: [] } }), "luck"],
    [file({ ...VECTOR, expect: {} }), "/cases/0/expect: "],
    [file({ ...VECTOR, expect: { ok: { $foo: 1 } } }), "$foo"],
    [file({ ...VECTOR, expect: { ok: { $type: "text" } } }), "/cases/0/expect/ok/$type: "],
    [file({ ...VECTOR, rows: [] }), "/cases/0"],
    [file(BARE), "/cases/0"],
    [file({ ...VECTOR, steps: [] }), '/cases/0: has no member "steps"'],
    [file({ ...BARE, kind: "loop", op: undefined }), "/cases/0"],
    [file({ ...VECTOR, source: undefined }), '"comm/x/y" has no source'],
    [file({ ...VECTOR, clauses: [] }), "is MUST but names no clause"],
    [file(KINDLESS), '"comm/x/y" has no kind'],
    [file({ ...EXCHANGE, role: undefined }), '"comm/x/z" has no role'],
    [{ ...file(KINDLESS), defaults: { kind: "script" } }, "/cases/0"],
    [{ ...file(VECTOR), defaults: { level: "MUST" } }, "level"],
    [{ ...file(VECTOR), values: { v: { $value: "v" } } }, '/values: "$value" must be the name'],
    [
      file({ ...VECTOR, input: { a: [{ $value: "v" }] } }),
      '"comm/x/y": "$value" must be the name of a member of "values", got "v"',
    ],
    [
      file({ ...VECTOR, input: { a: { $repeat: ["a"] } } }),
      '"comm/x/y": "$repeat" must be [text, count], got ["a"]',
    ],
    [
      { ...file({ ...VECTOR, expect: { ok: { $value: "v" } } }), values: { v: { $foo: 1 } } },
      "/cases/0/expect/ok",
    ],
    [file({ ...VECTOR, control: "comm/x/y" }), "is its own control"],
    [
      file({
        ...BARE,
        rows: [{ name: "a", ...ROW }, { name: "b", ...ROW }, { name: "a", ...ROW }],
      }),
      '"comm/x/y" has two rows with the name "a"',
    ],
  ];
  for (const [value, expected] of refused) {
    const reason = reasonOf(value);
    assert(reason.includes(expected), `${reason} lacks ${expected}`);
  }
});

Deno.test("readCaseFile() accepts an INFO case without a clause", () => {
  assert(readCaseFile(file({ ...VECTOR, level: "INFO", clauses: [] })).ok);
});

Deno.test("parseCaseFile() throws an error with the file name if the text is not JSON", () => {
  const error = assertThrows(() => parseCaseFile("{", "mine.json"), KitError, '"mine.json"');
  assertEquals(error.code, "bad_file");
  assertEquals(parseCaseFile(JSON.stringify(file(VECTOR)), "mine.json").cases.length, 1);
});

Deno.test("readSuite() throws for a duplicate id, an unknown control or an alias that is already in use", () => {
  const refused: readonly (readonly [readonly unknown[], string])[] = [
    [[VECTOR, VECTOR], 'duplicate id "comm/x/y"'],
    [[{ ...VECTOR, control: "comm/x/none" }], 'unknown control "comm/x/none"'],
    [[VECTOR, { ...VECTOR, id: "comm/x/z", aliases: ["comm/x/y"] }], "is already in use"],
  ];
  for (const [cases, expected] of refused) {
    const error = assertThrows(() => readSuite(new Map([["f", file(...cases)]])));
    assertInstanceOf(error, KitError);
    assert(error.message.includes(expected), error.message);
  }
});

Deno.test("readSuite() sets the name of the file on each case", () => {
  const suite = readSuite(
    new Map([["a.json", file(VECTOR)], ["b.json", file({ ...VECTOR, id: "comm/x/z" })]]),
  );
  assertEquals([...suite.values()].map((each) => each.file), ["a.json", "b.json"]);
});

Deno.test("readSuite() returns complete cases: with defaults, values, and repeated and joined text", () => {
  const { source: _, ...first } = KINDLESS;
  const suite = readSuite(
    new Map([["f", {
      ...file(
        { ...first, input: { text: { $repeat: ["ab", 2] } }, expect: { ok: { $value: "list" } } },
        {
          ...first,
          id: "comm/x/z",
          refs: ["https://own.example"],
          input: { a: { $join: ["<", ">"] } },
        },
      ),
      defaults: { kind: "vector", refs: ["https://example.com"], source: "by default" },
      values: { list: [{ $contains: { $repeat: ["x", 3] } }] },
    }]]),
  );
  const [one, other] = [...suite.values()];
  assert(one?.kind === "vector" && other?.kind === "vector");
  assertEquals(one.rows, [
    { name: "", input: { text: "abab" }, expect: { ok: [{ $contains: "xxx" }] } },
  ]);
  assertEquals(other.rows[0]?.input, { a: "<>" });
  assertEquals([one.refs, other.refs], [["https://example.com"], ["https://own.example"]]);
  assertEquals([one.source, other.source], ["by default", "by default"]);
});

Deno.test("readSuite() accepts repeated and joined text in each member that sends text", () => {
  const text = { $join: ["{", { $repeat: [" ", 3] }, "}"] };
  const steps = [
    { sendText: text },
    { http: { method: "POST", headers: { a: text }, bodyText: text }, expect: {} },
    { reply: { text, headers: { a: text }, events: [{ id: text, data: text }] }, to: "r" },
    { receive: { result: { $oneOf: [text, { $const: text }] } } },
    { sendHex: { $repeat: ["00", 2] } },
  ];
  const [each] = readSuite(new Map([["f", file({ ...EXCHANGE, steps })]])).values();
  assert(each?.kind === "exchange");
  assertEquals(each.steps, [
    { sendText: "{   }" },
    { http: { method: "POST", headers: { a: "{   }" }, bodyText: "{   }" }, expect: {} },
    {
      reply: { text: "{   }", headers: { a: "{   }" }, events: [{ id: "{   }", data: "{   }" }] },
      to: "r",
    },
    { receive: { result: { $oneOf: ["{   }", { $const: "{   }" }] } } },
    { sendHex: "0000" },
  ]);
});
