import { assertEquals } from "@std/assert";
import { errorText } from "./error_text.ts";

/** An error whose message is a number. */
class NumberedError extends Error {
  // deno-lint-ignore no-explicit-any -- JavaScript code can assign any value
  override message: any = 5;
}

/** An object whose every member throws when it is read. */
function unreadable(target: object): object {
  const fail = (): never => {
    throw new Error("unreadable");
  };
  return new Proxy(target, { get: fail, getPrototypeOf: fail });
}

Deno.test("errorText() returns the message of an error, and any other value as text", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [new Error("the disk is full"), "the disk is full"],
    [new NumberedError(), "5"],
    ["text", "text"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [{ a: 1 }, "[object Object]"],
  ];
  for (const [value, text] of rows) assertEquals(errorText(value), text);
});

Deno.test("errorText() describes a value without a text form", () => {
  const revocable = Proxy.revocable({}, {});
  revocable.revoke();
  const throwing = {
    toString() {
      throw new Error("no text");
    },
  };
  const unnamed = Object.assign(new Error(), { message: Object.create(null) });
  const values = [Object.create(null), throwing, revocable.proxy, unreadable({})];
  for (const value of values) assertEquals(errorText(value), "an object");
  assertEquals(errorText(unnamed), "an instance of Error");
});
