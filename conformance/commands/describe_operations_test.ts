import { assert, assertEquals } from "@std/assert";
import operations from "../spec/operations.json" with { type: "json" };
import { describeOperations } from "./describe_operations.ts";

Deno.test("describeOperations() lists the object, the arguments and the result of each operation", () => {
  const ops = ["comm.ed25519.sign", "comm.transport.close", "comm.channel.pair", "my.operation"];
  assertEquals(describeOperations(ops), [
    "comm.ed25519.sign",
    "  args: `seedHex`, `messageHex`",
    "  ok:   `publicKeyHex`, `signatureHex`",
    "comm.transport.close on any transport",
    "comm.channel.pair",
    "  args: `capacity`?, `overflow`? (`wait` or `error`)",
    "  ok:   `handles` (two ends)",
    "my.operation",
  ]);
});

Deno.test("describeOperations() wraps long descriptions and keeps all words", () => {
  for (const { op, args = "" } of operations) {
    const lines = describeOperations([op]);
    assert(lines.every((line) => line.length <= 101), op);
    const text = lines.map((line) => line.trim()).join(" ");
    assert(text.includes(args), op);
  }
});
