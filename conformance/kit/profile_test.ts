import { assertEquals } from "@std/assert";
import { profileOf } from "./profile.ts";

Deno.test("profileOf() separates contracts of others from decisions of this project", () => {
  const rows = [
    ["runtime/wire-anthropic/roles", "contract:anthropic", "core"],
    ["runtime/loop/one-call", "decision", "parley"],
    ["runtime/loop/one-call", "spec", "parley"],
    ["comm/message-json/round-trip", "spec", "core"],
    ["comm/message-json/round-trip", "decision", "parley"],
    ["mcp/tools/call", "mcp@2025-11-25", "core"],
  ] as const;
  for (const [id, basis, profile] of rows) assertEquals(profileOf({ id, basis }), profile);
});
