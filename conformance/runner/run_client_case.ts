/**
 * Carries out exchange cases in which the subject is the client and the kit the server.
 *
 * @module
 */

import type { ExchangeCase, WireStep } from "../kit/case.ts";
import type { CaseRun } from "../kit/verdict.ts";
import { show } from "../kit/match_value.ts";
import { respondToInitialization } from "../kinds/mcp_server_role.ts";
import type { DriverSession } from "../kinds/driver_session.ts";
import { runExchange } from "../kinds/exchange.ts";
import { settleCase } from "../kinds/case_end.ts";
import { relayCommand } from "../subject/relay.ts";
import { type HttpTestServer, startHttpTestServer } from "../subject/http_test_server.ts";
import { startRelayTestServer, type TestServer } from "../subject/relay_test_server.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import type { Trace } from "../subject/trace.ts";

/** What the kit needs to play the server. */
export interface ClientCaseOptions {
  /** Where what goes over the wire is noted. */
  readonly trace: Trace;
  /** The revision that the kit speaks. */
  readonly revision: string;
  /** How long an answer may take, in milliseconds, scaled. */
  readonly deadlineMs: number;
  /** By how much to stretch the times that a case names. */
  readonly scale: number;
  /** The transport. */
  readonly transport: "stdio" | "http";
  /** A driver that the case tells what to do. */
  readonly driver?: DriverSession;
  /** Starts a client that needs telling nothing, and gives how it ended while it has. */
  readonly start?: (peer: TestServer) => Promise<() => string | undefined>;
}

/** Listens, lets the client come, and carries out the steps. */
export async function runClientCase(
  each: ExchangeCase,
  options: ClientCaseOptions,
): Promise<CaseRun> {
  const { trace, revision, transport, deadlineMs, scale, driver, start } = options;
  const http = transport === "http"
    ? await startHttpTestServer({
      isManual: each.steps.some(isManual),
      opening: each.session === "none" ? new Set() : OPENING,
    })
    : undefined;
  const wire = http ?? await startRelayTestServer(relayCommand());
  if (http !== undefined) http.onRequest = (request) => trace.add("←", show(request, 2000));
  const peer = new RpcConnection(wire, trace);
  wire.onMessage = (value) => peer.take(value);
  if (each.session !== "none") {
    peer.intercept = respondToInitialization(peer, revision, each.needs?.extensions);
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
          // A client has no exit of its own that the kit sees, but it closes its side.
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

/** What steps of a case over HTTP may call by name. */
function namesOf({ address, session }: HttpTestServer): readonly (readonly [string, unknown])[] {
  return [["session", session], ["peerSse", { ...address, type: "sse" }]];
}

/** What the kit answers by itself to open a session. */
const OPENING: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "server/discover",
]);

/** Whether a step takes requests of the client in its own hands. */
function isManual(step: WireStep): boolean {
  return "accept" in step || "unasked" in step || "refuseAll" in step ||
    ("steps" in step && step.steps.some(isManual));
}
