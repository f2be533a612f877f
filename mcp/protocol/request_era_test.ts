import { assertEquals } from "@std/assert";
import { request } from "../jsonrpc/message.ts";
import { detectRequestEra } from "./request_era.ts";
import { MetaKey } from "./meta.ts";

const NEW = "2026-07-28";
const CAN = { [MetaKey.ClientCapabilities]: {} };

/** Test cases: `_meta`, version header, and expected era or error code. */
const CLAIMS: readonly [object | undefined, string | undefined, string | number][] = [
  [undefined, undefined, "legacy"],
  [{}, undefined, "legacy"],
  [{}, "2025-06-18", "legacy"],
  [{}, "1999-01-01", "legacy"],
  [{ progressToken: 1 }, undefined, "legacy"],
  [{ [MetaKey.ProtocolVersion]: NEW, ...CAN }, undefined, "modern"],
  [{ [MetaKey.ProtocolVersion]: NEW, ...CAN }, "2025-06-18", "modern"],
  [{ [MetaKey.ProtocolVersion]: NEW }, NEW, -32602],
  [{ [MetaKey.ProtocolVersion]: NEW, [MetaKey.ClientCapabilities]: [] }, NEW, -32602],
  [{ [MetaKey.ProtocolVersion]: NEW, ...CAN, [MetaKey.LogLevel]: "loud" }, NEW, -32602],
  [{ [MetaKey.ProtocolVersion]: 1, ...CAN }, NEW, -32602],
  [{ [MetaKey.ProtocolVersion]: "2025-11-25", ...CAN }, NEW, -32022],
  [{ [MetaKey.ProtocolVersion]: "2099-01-01", ...CAN }, undefined, -32022],
  [CAN, NEW, -32602],
  [undefined, NEW, -32602],
];

Deno.test("detectRequestEra() uses the version header only if the message does not contain a version", () => {
  for (const [_meta, version, expected] of CLAIMS) {
    const headers = new Headers(version === undefined ? {} : { "mcp-protocol-version": version });
    const claim = detectRequestEra(
      request(1, "tools/list", _meta === undefined ? {} : { _meta }),
      headers,
    );
    const found = claim.era === "unclear" ? claim.error.code : claim.era;
    assertEquals(found, expected, JSON.stringify([_meta, version]));
  }
});

Deno.test("detectRequestEra() returns the client of a modern request", () => {
  const info = { name: "c", version: "1", title: "C" };
  const capabilities = { elicitation: {}, odd: 1 };
  const claim = detectRequestEra(request(1, "tools/list", {
    _meta: {
      [MetaKey.ProtocolVersion]: NEW,
      [MetaKey.ClientCapabilities]: capabilities,
      [MetaKey.ClientInfo]: info,
      [MetaKey.LogLevel]: "error",
    },
  }));
  assertEquals(claim, {
    era: "modern",
    client: { protocolVersion: NEW, capabilities: { elicitation: {} }, info, logLevel: "error" },
  });
});
