import { assertEquals } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { isTemporary } from "./database_errors.ts";

function withCode(code: string, message = "failed"): Error {
  return Object.assign(new Error(message), { code });
}

const ERRORS: readonly (readonly [name: string, error: unknown, expected: boolean])[] = [
  ["a refused connection", withCode("ECONNREFUSED"), true],
  [
    "refused connections to several addresses",
    new AggregateError([withCode("ECONNREFUSED", "connect ECONNREFUSED")]),
    true,
  ],
  ["a timeout that a driver reports with a code", withCode("CONNECT_TIMEOUT"), true],
  ["a lost connection without a code", new Error("Connection terminated unexpectedly"), true],
  ["a database that is starting", withCode("57P03"), true],
  ["too many connections", withCode("53300"), true],
  ["a deadlock", withCode("40P01"), true],
  ["a missing table", withCode("42P01"), false],
  ["a violated constraint", withCode("23505"), false],
  ["an assertion of pg-boss", withCode("ERR_ASSERTION"), false],
  ["a wrong argument of a Node.js function", withCode("ERR_INVALID_ARG_TYPE"), false],
  ["an error of this package", AgentError.core("the schema belongs to another program"), false],
  ["any other exception", new TypeError("queue is not a function"), false],
];

for (const [name, error, expected] of ERRORS) {
  Deno.test(`isTemporary() returns ${expected} for ${name}`, () => {
    assertEquals(isTemporary(error), expected);
  });
}
