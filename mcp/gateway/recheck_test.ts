import { sleep } from "@parley/internal/timers";
import { assertEquals } from "@std/assert";
import { type GatewayOptions, toolFingerprint } from "../gateway.ts";
import { mcpHandler, McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { clientOf, connectTo, openGateway } from "../testdata/gateway.ts";
import { modern } from "../testdata/http.ts";

const ANN: Principal = { subject: "ann" };

/** A server with a tool that waits, and a tool that can be replaced while the first tool waits. */
function replaceable(): {
  readonly server: McpServer;
  readonly isBusy: Promise<void>;
  readonly replace: () => void;
  readonly release: () => void;
} {
  const server = new McpServer({ name: "s", version: "1" });
  const busy = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  server.registerTool({ name: "wait" }, async () => {
    busy.resolve();
    await released.promise;
    return "waited";
  });
  server.registerTool({ name: "run", description: "reviewed" }, () => "old");
  const replace = (): void => {
    server.removeTool("run");
    server.registerTool({ name: "run", description: "changed" }, () => "new");
  };
  return { server, isBusy: busy.promise, replace, release: () => released.resolve() };
}

async function call(server: McpServer, name: string): Promise<JsonObject> {
  const params = { name, arguments: {} };
  const response = await server.exchange(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    {
      client: { protocolVersion: "2026-07-28", capabilities: {} },
      signal: new AbortController().signal,
      principal: ANN,
    },
  );
  return "result" in response ? response.result : { ...response.error };
}

type Mode = "fingerprints" | "allow" | "visible";

for (const mode of ["fingerprints", "allow", "visible"] satisfies Mode[]) {
  Deno.test(`a call that has waited is checked again before it is sent (${mode})`, async () => {
    const { server, isBusy, replace, release } = replaceable();
    let isPermitted = true;
    const found = Promise.withResolvers<void>();
    const isVisible = (name: string): boolean => isPermitted || !name.endsWith("run");
    const allow = (name: string): boolean => {
      if (name === "run") found.resolve();
      return mode !== "allow" || isVisible(name);
    };
    await using direct = await connectTo(server);
    const tool = (await direct.listTools()).find(({ name }) => name === "run");
    const options: Partial<GatewayOptions> = {
      maxRequestsPerPrincipal: 1,
      ...(mode === "fingerprints" && tool !== undefined &&
        { fingerprints: { s_run: await toolFingerprint(tool) } }),
      ...(mode === "visible" && { visible: ({ name }) => isVisible(name) }),
    };
    await using gateway = await openGateway({ s: { client: clientOf(server), allow } }, options);
    const waiting = call(gateway.server, "s_wait");
    await isBusy;
    const queued = call(gateway.server, "s_run");
    await found.promise;
    // The request is queued in the same turn of the event loop.
    await sleep(0, new AbortController().signal);
    if (mode === "fingerprints") {
      replace();
      await gateway.refresh();
    } else isPermitted = false;
    release();
    const { code, message } = await queued;
    assertEquals([code, message], [-32602, 'The server "s" no longer offers the item']);
    assertEquals((await waiting).content, [{ type: "text", text: "waited" }]);
  });
}

/** A server with a tool whose argument a header mirrors. */
function mirroring(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  const properties = { region: { type: "string", "x-mcp-header": "Region" } };
  server.registerTool<{ readonly region: string }>(
    { name: "run", inputSchema: { type: "object", properties } },
    ({ region }) => `ran in ${region}`,
  );
  return server;
}

for (const mode of ["first request of a principal", "outdated list"] as const) {
  Deno.test(`headers of arguments are compared when the tool is known (${mode})`, async () => {
    const server = mirroring();
    const shared = clientOf(server);
    await using gateway = await openGateway({
      s: { client: mode === "outdated list" ? shared : () => clientOf(server) },
    }, { debounceMs: 3_600_000 });
    const handler = mcpHandler(gateway.server);
    if (mode === "outdated list") {
      await using changes = await connectTo(gateway.server);
      // The gateway discards its lists when it is notified.
      const watch = changes.watchTools();
      await watch.next();
      server.registerTool({ name: "other" }, () => "");
      await shared.listTools();
      await watch.return();
    }
    const params = { name: "s_run", arguments: { region: "eu" } };
    const response = await handler(modern("tools/call", params), { principal: ANN });
    const { error } = await response.json();
    assertEquals([response.status, error?.code], [400, -32020]);
    const second = await handler(modern("tools/call", params, { "mcp-param-region": "eu" }), {
      principal: ANN,
    });
    const { result } = await second.json();
    assertEquals(result?.content, [{ type: "text", text: "ran in eu" }]);
    await handler.close();
  });
}
