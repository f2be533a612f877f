import { assertEquals } from "@std/assert";
import { formatValue, quote } from "./format_value.ts";

class Point {
  readonly x = 1;
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function refuse(): never {
  throw new Error("unreadable");
}

const VALUES: readonly (readonly [value: unknown, expected: string])[] = [
  [undefined, "undefined"],
  [null, "null"],
  [true, "true"],
  [-0.5, "-0.5"],
  [12n, "12"],
  ["5", '"5"'],
  [() => 1, "a function"],
  [class {}, "a function"],
  [[1], "an array"],
  [{}, "an object"],
  [Object.create(null), "an object"],
  [new Map(), "an instance of Map"],
  [new Point(), "an instance of Point"],
  [Promise.resolve(), "an instance of Promise"],
  [new (class {})(), "an object"],
  [Symbol("s"), "Symbol(s)"],
  [Symbol(), "Symbol()"],
  [Symbol("a\u001b[2J\u202e"), "Symbol(a\\u{1b}[2J\\u{202e})"],
  [
    "a\u001b\u009b\u202e\u200b\u2028\u{e0001}",
    '"a\\u001b\\u{9b}\\u{202e}\\u{200b}\\u{2028}\\u{e0001}"',
  ],
  ["x".repeat(101), `"${"x".repeat(100)}…"`],
  ["x".repeat(100), `"${"x".repeat(100)}"`],
  [`${"x".repeat(99)}\u{1f600}`, `"${"x".repeat(99)}…"`],
];

const UNREADABLE: Readonly<Record<string, unknown>> = {
  "a prototype whose constructor is a throwing getter": Object.create({
    get constructor() {
      return refuse();
    },
  }),
  "a class whose name is a throwing getter": new (class {
    static get name(): string {
      return refuse();
    }
  })(),
  "a proxy that throws": new Proxy({}, { getPrototypeOf: refuse, get: refuse }),
  "a revoked proxy": revoked({}),
  "a revoked proxy of an array": revoked([]),
};

Deno.test("formatValue shows primitive values and describes other values", () => {
  for (const [value, expected] of VALUES) assertEquals(formatValue(value), expected);
});

Deno.test("formatValue escapes and truncates the name of a class", () => {
  const named = (name: string): object => {
    const type = class {};
    Object.defineProperty(type, "name", { value: name });
    return new type();
  };
  assertEquals(formatValue(named("A\u202e\n")), "an instance of A\\u{202e}\\u{a}");
  assertEquals(formatValue(named("A".repeat(101))), `an instance of ${"A".repeat(100)}…`);
});

Deno.test("formatValue never throws", () => {
  for (const [name, value] of Object.entries(UNREADABLE)) {
    assertEquals(formatValue(value), "an object", name);
  }
  assertEquals(formatValue(revoked(() => {})), "a function");
});

Deno.test("quote accepts another maximum length", () => {
  assertEquals(quote("abcd", 3), '"abc…"');
});
