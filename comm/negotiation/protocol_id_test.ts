import { assertEquals, assertThrows } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { formatProtocolId, parseProtocolId } from "./protocol_id.ts";

Deno.test("parseProtocolId() parses the output of formatProtocolId()", () => {
  for (const text of ["agent.task.v1", "org.example.two-words.v0", "a.b.v10", "1.2.v3"]) {
    assertEquals(formatProtocolId(parseProtocolId(text)), text);
  }
});

Deno.test("parseProtocolId() rejects text that is not a protocol identifier", () => {
  const refused = [
    "",
    "task.v1",
    "agent.task",
    "agent.task.1",
    "agent.task.v01",
    "agent.task.v1.1",
    "Agent.task.v1",
    "agent..v1",
    "-agent.task.v1",
    "agent.task.v1 ",
    "agent.task.v9999999999",
    `${"a.".repeat(130)}b.v1`,
  ];
  for (const text of refused) {
    const error = assertThrows(() => parseProtocolId(text), CommError);
    assertEquals(error.code, "invalid_argument", text);
  }
});

Deno.test("formatProtocolId() rejects invalid components", () => {
  assertThrows(() => formatProtocolId({ namespace: "agent", name: "a.b", version: -1 }), CommError);
});
