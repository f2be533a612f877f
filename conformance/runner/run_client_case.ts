/**
 * Runs exchange cases with the subject as the client and the kit as the server.
 *
 * @module
 */

import type { ExchangeCase, WireStep } from "../kit/case.ts";
import { isObject } from "../kit/json.ts";
import type { CaseRun } from "../kit/verdict.ts";
import { show } from "../kit/match_value.ts";
import { respondToInitialization, respondToToolsList } from "../kinds/mcp_server_role.ts";
import type { DriverSession } from "../kinds/driver_session.ts";
import type { McpWatch } from "../invariants/mcp_watch.ts";
import { runExchange } from "../kinds/exchange.ts";
import { settleCase } from "../kinds/case_end.ts";
import { relayCommand } from "../subject/relay.ts";
import { type HttpTestServer, startHttpTestServer } from "../subject/http_test_server.ts";
import { startRelayTestServer, type TestServer } from "../subject/relay_test_server.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import type { Trace } from "../subject/trace.ts";

/** Options for {@linkcode runClientCase}. */
export interface ClientCaseOptions {
  /** Message log. */
  readonly trace: Trace;
  /** Checks everything that passes between the kit and the client. */
  readonly watch: McpWatch;
  /** Protocol version that the kit uses. */
  readonly revision: string;
  /** Timeout for a response, in milliseconds, after scaling. */
  readonly deadlineMs: number;
  /** Scaling factor for the durations in the case. */
  readonly scale: number;
  /** Transport between the kit and the client. */
  readonly transport: "stdio" | "http";
  /** Driver for the client, if the steps call operations. */
  readonly driver?: DriverSession;
  /**
   * Starts a client without a driver. Resolves to a function that returns how the client exited.
   */
  readonly start?: (peer: TestServer) => Promise<() => string | undefined>;
}

/** Starts a test server, waits for the client and runs the steps. */
export async function runClientCase(
  each: ExchangeCase,
  options: ClientCaseOptions,
): Promise<CaseRun> {
  const { trace, watch, revision, transport, deadlineMs, scale, driver, start } = options;
  const tools = toolsToList(each.steps);
  const opening = tools.length === 0 ? OPENING : new Set([...OPENING, "tools/list"]);
  const http = transport === "http"
    ? await startHttpTestServer({
      isManual: each.steps.some(isManual),
      refusesListening: each.steps.some(isManual) && !each.steps.some(expectsListening),
      opening: each.session === "none" ? new Set() : opening,
      watcher: watch.http(),
    })
    : undefined;
  const wire = http ?? await startRelayTestServer(relayCommand(), () => watch.lines());
  if (http !== undefined) http.onRequest = (request) => trace.add("←", show(request, 2000));
  const peer = new RpcConnection(wire, trace);
  wire.onMessage = (value) => peer.take(value);
  if (each.session !== "none") {
    const initialize = respondToInitialization(peer, revision, each.needs?.extensions);
    const listTools = respondToToolsList(peer, revision, tools);
    peer.intercept = (message) => initialize(message) || (tools.length > 0 && listTools(message));
  }
  let ids = 0;
  try {
    return await settleCase(async () => {
      const downReason = await start?.(wire) ?? (() => undefined);
      await runExchange(each, {
        peer,
        captures: new Map<string, unknown>([
          ["peer", wire.address],
          ...(http === undefined ? [] : namesOf(http)),
        ]),
        deadlineMs,
        scale,
        downReason,
        nextId: () => ++ids,
        process: {
          // The kit cannot observe a client's exit, only that the client closes the connection.
          exited: wire.closed.then(() => ({ code: null, signal: null })),
          closeInput: () => wire.closeInput(),
          signal: () => {},
        },
        ...(driver === undefined ? {} : { driver }),
        ...(http === undefined ? {} : { client: http }),
      });
    });
  } finally {
    await wire.close();
  }
}

/** Values that HTTP steps can refer to by name. */
function namesOf({ address, session }: HttpTestServer): readonly (readonly [string, unknown])[] {
  const { port } = new URL(String(address.url));
  return [
    ["session", session],
    ["port", Number(port)],
    ["peerSse", { ...address, type: "sse" }],
    ["peerUrl", address.url],
  ];
}

/**
 * Methods of the messages that open a session, which the kit handles so that the case needs no
 * steps for them.
 */
const OPENING: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "server/discover",
]);

/**
 * Returns the names of the tools that the steps call, or no names if a step itself handles
 * `tools/list`.
 */
function toolsToList(steps: readonly WireStep[]): readonly string[] {
  if (JSON.stringify(steps).includes('"tools/list"')) return [];
  return [...new Set(steps.flatMap(toolsOf))];
}

function toolsOf(step: WireStep): readonly string[] {
  if ("steps" in step) return step.steps.flatMap(toolsOf);
  if (!("drive" in step) || step.drive !== "mcp.client.callTool") return [];
  const name = isObject(step.args) ? step.args.name : undefined;
  return typeof name === "string" ? [name] : [];
}

/** Returns true if a step itself receives the client's HTTP requests. */
function isManual(step: WireStep): boolean {
  return "accept" in step || "unasked" in step || "refuseAll" in step ||
    ("steps" in step && step.steps.some(isManual));
}

/**
 * Returns true if a step receives, or observes the absence of, a GET request that does not resume a
 * stream.
 */
function expectsListening(step: WireStep): boolean {
  const request = "accept" in step ? step.accept : "unasked" in step ? step.unasked : undefined;
  if (isObject(request) && request.method === "GET") {
    return !isObject(request.headers) || request.headers["last-event-id"] === undefined;
  }
  return "steps" in step && step.steps.some(expectsListening);
}
