/**
 * Era detection over a pipe: `server/discover` first, then `initialize`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility stdio}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { Pipe, PipeConnection, PipeSource } from "../jsonrpc/contracts.ts";
import { abortable } from "@parley/internal/abortable";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { connectPipe } from "../transport/pipe_connection.ts";
import {
  type DetectedSession,
  type DetectOptions,
  discover,
  eraOf,
  initializeSession,
  type ProbeResult,
  toConnectionError,
} from "./detect_era.ts";
import { ServerEra } from "./server_era.ts";
import { type Session, withoutSignal } from "./session.ts";
import { ModernSession } from "./modern_session.ts";

/**
 * Opens a session over a pipe.
 *
 * @throws {McpError} With code `connection_failed` if the pipe cannot be opened or ends, or if the
 * server does not respond in time.
 * @throws {McpError} With code `protocol_error` if the client and the server have no protocol
 * version in common.
 */
export async function openPipeSession(
  source: PipeSource,
  options: DetectOptions,
): Promise<DetectedSession> {
  const { signal, protocol, era = ServerEra.Modern } = options;
  const pipe = await openPipe(source, options);
  const connection = connectPipe(pipe, options);
  try {
    return toDetectedSession(await detect(connection, options));
  } catch (error) {
    const isGone = connection.ended !== undefined;
    const { diagnosis } = pipe;
    await connection.close();
    signal.throwIfAborted();
    if (!isGone || !source.canReopen || eraOf(protocol) !== undefined) {
      throw toConnectionError(error, source.label, diagnosis);
    }
    // Some legacy servers exit if they receive a request before `initialize`.
    const other = era === ServerEra.Modern ? "legacy" : "modern";
    return await openPipeSession(source, { ...options, protocol: other });
  }
}

/**
 * Opens a pipe. A pipe that opens after the signal has aborted or the timeout has expired is closed
 * immediately.
 */
async function openPipe(
  source: PipeSource,
  { signal, connectTimeoutMs }: DetectOptions,
): Promise<Pipe> {
  const opening = source.openPipe();
  const late = new AbortController();
  const timer = setTimeout(() => {
    const reason = `the transport did not open within ${connectTimeoutMs} ms`;
    late.abort(McpError.connectionFailed(source.label, reason));
  }, Math.min(connectTimeoutMs, MAX_TIMER_MS));
  try {
    return await abortable(opening, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    // The caller has already received the error, so a later error from `openPipe()` is ignored.
    opening.then((pipe) => pipe.close()).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function toDetectedSession(session: Session): DetectedSession {
  const isModern = session instanceof ModernSession;
  return { session, era: isModern ? ServerEra.Modern : ServerEra.Legacy };
}

async function detect(connection: PipeConnection, options: DetectOptions): Promise<Session> {
  const pinned = eraOf(options.protocol);
  if (pinned === "legacy") return await initializeSession(connection, options);
  const isOlder = options.era !== undefined && options.era !== ServerEra.Modern;
  if (pinned === undefined && isOlder) {
    try {
      return await initializeSession(connection, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (connection.ended !== undefined) throw error;
    }
  }
  return await probe(connection, options);
}

async function probe(connection: PipeConnection, options: DetectOptions): Promise<Session> {
  const probing = new AbortController();
  const signal = AbortSignal.any([options.signal, probing.signal]);
  const late = discover(connection, { ...options, signal });
  const finding = await withinProbeTime(late, options);
  switch (finding.kind) {
    case "modern":
      return new ModernSession(connection, finding.server, withoutSignal(options));
    case "legacy":
      return await initializeSession(connection, options);
    case "silent":
      return await firstOf(connection, { late, probing }, options);
    case "gone":
      throw finding.error;
    default:
      return finding satisfies never;
  }
}

/**
 * Waits for both `server/discover` and `initialize`, because a slow server might still respond to
 * either request. The first successful response determines the era.
 */
async function firstOf(
  connection: PipeConnection,
  { late, probing }: { readonly late: Promise<ProbeResult>; readonly probing: AbortController },
  options: DetectOptions,
): Promise<Session> {
  const shaking = new AbortController();
  const modern = late.then((finding) => {
    if (finding.kind === "modern") return finding.server;
    throw McpError.protocolError('the server does not support "server/discover"');
  });
  const signal = AbortSignal.any([options.signal, shaking.signal]);
  const legacy = initializeSession(connection, { ...options, signal });
  try {
    const first = await Promise.any([modern, legacy]);
    if ("request" in first) return first;
    return new ModernSession(connection, first, withoutSignal(options));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[1] : error;
  } finally {
    probing.abort();
    shaking.abort();
  }
}

/**
 * Waits for the result of `server/discover`. The probe timeout does not apply if the client is
 * limited to modern protocol versions.
 */
function withinProbeTime(
  late: Promise<ProbeResult>,
  { protocol, probeTimeoutMs }: DetectOptions,
): Promise<ProbeResult> {
  if (eraOf(protocol) === "modern") return late;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => resolve({ kind: "silent" }),
      Math.min(probeTimeoutMs, MAX_TIMER_MS),
    );
    late.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
