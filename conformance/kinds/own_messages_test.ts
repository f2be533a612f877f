import { assertEquals } from "@std/assert";
import type { JsonValue } from "../kit/json.ts";
import { MessageChecker } from "../message_schemas/message_checker.ts";
import { MESSAGE_VERSIONS } from "../message_schemas/versions.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import { Trace } from "../subject/trace.ts";
import { respondToInitialization, respondToToolsList } from "./mcp_server_role.ts";
import { isModernVersion, openSession } from "./open_session.ts";

/** Returns a connection, and the messages that the kit sends over it. */
function capture(): { readonly peer: RpcConnection; readonly sent: JsonValue[] } {
  const sent: JsonValue[] = [];
  const wire = {
    send: (message: JsonValue) => void sent.push(message),
    sendText: () => {},
    sendBytes: () => {},
  };
  return { peer: new RpcConnection(wire, new Trace()), sent };
}

Deno.test("the messages with which the kit opens a session conform to the schema", async () => {
  const checker = new MessageChecker();
  for (const version of MESSAGE_VERSIONS) {
    const { peer, sent } = capture();
    const opened = openSession(peer, version, 1000).then(() => {}, () => {});
    peer.end();
    await opened;
    assertEquals(sent.length > 0, true, version);
    for (const message of sent) {
      assertEquals(checker.findProblems(message, { version, from: "client" }), [], version);
    }
  }
});

Deno.test("the responses of the kit to a client under test conform to the schema", () => {
  const checker = new MessageChecker();
  for (const version of MESSAGE_VERSIONS) {
    const { peer, sent } = capture();
    const method = isModernVersion(version) ? "server/discover" : "initialize";
    respondToInitialization(peer, version)({ jsonrpc: "2.0", id: 1, method });
    respondToToolsList(peer, version, ["a"])({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const [opening, list] = sent;
    assertEquals(checker.findProblems(opening, { version, from: "server", method }), [], version);
    const origin = { version, from: "server", method: "tools/list" } as const;
    assertEquals(checker.findProblems(list, origin), [], version);
  }
});
