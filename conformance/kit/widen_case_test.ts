import { assertEquals } from "@std/assert";
import type { Case, CaseHeader, Matcher } from "./case.ts";
import { findMismatch } from "./match_value.ts";
import { widenCase } from "./widen_case.ts";

const HEADER: CaseHeader = {
  id: "comm/x/y",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-X-1"],
  why: "w",
  source: "s",
};

function vector(ok: Matcher): Case {
  return {
    ...HEADER,
    kind: "vector",
    op: "comm.x",
    rows: [{ name: "", input: {}, expect: { ok, error: { code: "a" } } }],
  };
}

function expectedOf(each: Case): Matcher {
  const expect = each.kind === "vector" ? each.rows[0]?.expect : undefined;
  return expect !== undefined && "ok" in expect ? expect.ok : null;
}

Deno.test("widenCase() adds an accepted value, and the case still accepts what it accepted", () => {
  const rows: readonly (readonly [Matcher, string, unknown, unknown])[] = [
    ["a", "", "a", "new"],
    [{ list: [1, { x: 2 }] }, "/list/1/x", { list: [1, { x: 2 }] }, { list: [1, { x: "new" }] }],
    [{ $oneOf: ["a", "b"] }, "/$oneOf/1", "b", "new"],
    [{ $allOf: [{ x: "a" }, { y: 1 }] }, "/$allOf/0/x", { x: "a", y: 1 }, { x: "new", y: 1 }],
    [{ $each: "a" }, "/$each", ["a", "a"], ["a", "new"]],
    [{ $exact: { x: "a" } }, "/$exact/x", { x: "a" }, { x: "new" }],
    [{ $json: { "a/b": 1 } }, "/$json/a~1b", '{"a/b":1}', '{"a/b":"new"}'],
  ];
  for (const [matcher, below, before, after] of rows) {
    assertEquals(findMismatch(matcher, after) === undefined, false, below);
    const result = widenCase(vector(matcher), { at: `/rows/0/expect/ok${below}`, value: "new" });
    if (!result.ok) throw new Error(`${below}: ${result.reason}`);
    const wider = expectedOf(result.value);
    assertEquals(findMismatch(wider, before), undefined, below);
    assertEquals(findMismatch(wider, after), undefined, below);
  }
});

Deno.test("widenCase() rejects places at which a further value can make the case stricter", () => {
  const stricter: readonly (readonly [Matcher, string])[] = [
    [{ $not: "a" }, "/$not"],
    [{ x: { $not: { y: "a" } } }, "/x/$not/y"],
    [{ $const: { x: 1 } }, "/$const/x"],
    [{ $oneOf: ["a"] }, "/$oneOf"],
    [{ $exact: { x: 1 } }, "/$exact"],
    [{ $unordered: ["a", "b"] }, "/$unordered/0"],
    [{ $len: 2 }, "/$len"],
  ];
  for (const [matcher, below] of stricter) {
    const result = widenCase(vector(matcher), { at: `/rows/0/expect/ok${below}`, value: "new" });
    const reason = result.ok ? "" : result.reason;
    assertEquals(
      /^a further value within \$\w+ can make the case stricter$/.test(reason),
      true,
      below,
    );
  }
});

Deno.test("widenCase() rejects places that are not compared with the result of the subject", () => {
  const reason = "the value is not compared with the result of the subject";
  const places = [
    "/level",
    "/rows/0/input/x",
    "/rows/0/expect",
    "/rows/0/expect/error",
    "/steps/0",
  ];
  for (const at of places) {
    assertEquals(widenCase(vector("a"), { at, value: 1 }), { ok: false, reason }, at);
  }
  assertEquals(widenCase(vector("a"), { at: "/rows/1/expect/ok", value: 1 }), {
    ok: false,
    reason: 'there is no value at "/rows/1/expect/ok"',
  });
  assertEquals(widenCase(vector({ x: 1 }), { at: "/rows/0/expect/ok/y", value: 1 }), {
    ok: false,
    reason: 'there is no value at "y"',
  });
});

Deno.test("widenCase() widens responses in exchanges, but not messages that are selected or excluded", () => {
  const call = { method: "ping" };
  const each: Case = {
    ...HEADER,
    kind: "exchange",
    role: "server",
    steps: [
      { request: call, expect: { error: { code: 1 } } },
      { request: call, expect: { error: { code: 1 } }, optional: "no ping" },
      { noMessage: { method: "a" } },
      { receive: { method: "a" } },
      { poll: call, while: { result: { status: "a" } }, expect: { result: { status: "b" } } },
    ],
  };
  const isWidened = (at: string): boolean => widenCase(each, { at, value: 2 }).ok;
  assertEquals(isWidened("/steps/0/expect/error"), true);
  assertEquals(isWidened("/steps/0/expect/error/code"), true);
  const others = [
    "/steps/0/expect",
    "/steps/0/request/method",
    "/steps/1/expect/error/code",
    "/steps/2/noMessage/method",
    "/steps/3/receive/method",
    "/steps/4/while/result",
    "/steps/4/expect/result",
    "/steps/9/expect/error",
  ];
  for (const at of others) assertEquals(isWidened(at), false, at);
});
