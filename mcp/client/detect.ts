/**
 * Which era is the server? Asks for `server/discover` first and falls back to the handshake.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility stdio}
 * @module
 */

import { McpError, McpErrorCode } from "../error.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
import { request as makeRequest } from "../rpc/message.ts";
import type { Connection, PipeSource } from "../rpc/transport.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method } from "../protocol/methods.ts";
import { readImplementation } from "../protocol/peer.ts";
import { readServerCapabilities } from "../protocol/read.ts";
import { findRevision, LATEST_VERSION, versionsOf } from "../protocol/revisions.ts";
import { claimMeta } from "../protocol/stateless.ts";
import type { ServerDescription } from "../protocol/handshake.ts";
import { connectPipe } from "./connect_pipe.ts";
import { capabilitiesOf } from "./input.ts";
import { sendRequest } from "./request.ts";
import type { Session, SessionOptions } from "./session.ts";
import { StatelessSession } from "./stateless_session.ts";

/** Opens a session by handshake. */
export type OpenHandshake = (
  connection: Connection,
  options: SessionOptions & HandshakeOptions,
) => Promise<Session>;

/** How a handshake is made. */
export interface HandshakeOptions {
  /** The version to offer. */
  readonly version?: string;
  /** How long the answer may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives up when it aborts. */
  readonly signal: AbortSignal;
}

/** How a server is reached. */
export interface DetectOptions extends SessionOptions {
  /** `auto`, an era by its everyday name, or exactly one version. */
  readonly protocol: string;
  /** How long to wait for the answer to the first question before the other era is tried too, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** How long connecting may take altogether, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Gives up when it aborts. */
  readonly signal: AbortSignal;
  /** Opens a session by handshake. */
  readonly openHandshake: OpenHandshake;
}

/** What the first question has shown. */
type Finding =
  | { readonly kind: "stateless"; readonly server: ServerDescription }
  | { readonly kind: "handshake" }
  | { readonly kind: "gone"; readonly error: unknown }
  | { readonly kind: "silent" };

/**
 * Opens a session on a pipe.
 *
 * @throws {McpError} `connection_failed` when the pipe cannot be opened, `protocol_error` when there is no common version
 */
export async function openPipeSession(
  source: PipeSource,
  options: DetectOptions,
): Promise<Session> {
  const connection = connectPipe(await source.openPipe());
  try {
    if (eraOf(options.protocol) === "handshake") return await shakeHands(connection, options);
    const probing = new AbortController();
    const signal = AbortSignal.any([options.signal, probing.signal]);
    const late = discover(connection, { ...options, signal });
    const finding = await withinProbeTime(late, options);
    switch (finding.kind) {
      case "stateless":
        return new StatelessSession(connection, finding.server, options);
      case "handshake":
        return await shakeHands(connection, options);
      case "silent":
        return await firstOf(connection, { late, probing }, options);
      case "gone":
        break;
      default:
        finding satisfies never;
    }
    if (!source.canReopen || eraOf(options.protocol) === "stateless") throw finding.error;
  } catch (error) {
    await connection.close();
    throw error;
  }
  // Some servers end when they are asked something before the handshake.
  await connection.close();
  return await reopen(source, options);
}

async function reopen(source: PipeSource, options: DetectOptions): Promise<Session> {
  const connection = connectPipe(await source.openPipe());
  try {
    return await shakeHands(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The era that a client is pinned to, if it is. */
function eraOf(protocol: string): "stateless" | "handshake" | undefined {
  if (protocol === "auto") return undefined;
  if (protocol === "modern") return "stateless";
  if (protocol === "legacy") return "handshake";
  return findRevision(protocol)?.era;
}

function shakeHands(connection: Connection, options: DetectOptions): Promise<Session> {
  const { protocol, connectTimeoutMs: timeoutMs } = options;
  if (eraOf(protocol) === "stateless") {
    throw McpError.protocolError("the server does not speak a stateless version");
  }
  const pinned = findRevision(protocol) === undefined ? {} : { version: protocol };
  return options.openHandshake(connection, { ...options, ...pinned, timeoutMs });
}

/** A server that starts slowly may answer both questions; the first useful answer wins. */
async function firstOf(
  connection: Connection,
  { late, probing }: { readonly late: Promise<Finding>; readonly probing: AbortController },
  options: DetectOptions,
): Promise<Session> {
  const shaking = new AbortController();
  const stateless = late.then((finding) => {
    if (finding.kind === "stateless") return finding.server;
    throw McpError.protocolError('the server does not answer "server/discover"');
  });
  const signal = AbortSignal.any([options.signal, shaking.signal]);
  const handshake = shakeHands(connection, { ...options, signal });
  try {
    const first = await Promise.any([stateless, handshake]);
    if ("request" in first) return first;
    return new StatelessSession(connection, first, options);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[1] : error;
  } finally {
    probing.abort();
    shaking.abort();
  }
}

/** Whoever is pinned to the stateless era has nothing else to try and waits for the answer. */
function withinProbeTime(
  late: Promise<Finding>,
  { protocol, probeTimeoutMs }: DetectOptions,
): Promise<Finding> {
  if (eraOf(protocol) === "stateless") return late;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ kind: "silent" }), probeTimeoutMs);
    late.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Asks the server which versions it speaks; asks again in one of those when it refuses the first. */
async function discover(
  connection: Connection,
  options: DetectOptions,
  version = LATEST_VERSION,
  isRetry = false,
): Promise<Finding> {
  const { info, handlers, nextId, connectTimeoutMs: timeoutMs, signal } = options;
  const claim = { protocolVersion: version, capabilities: capabilitiesOf(handlers), info };
  const request = makeRequest(nextId(), Method.Discover, { _meta: claimMeta(claim) });
  try {
    return readDiscovery(await sendRequest(connection, request, { timeoutMs, signal }));
  } catch (error) {
    signal.throwIfAborted();
    if (connection.ended !== undefined) return { kind: "gone", error };
    if (!(error instanceof McpError) || error.code !== McpErrorCode.ProtocolError) throw error;
    if (error.rpcCode !== RpcErrorCode.UnsupportedVersion) return { kind: "handshake" };
    const common = commonVersion(isJsonObject(error.data) ? error.data.supported : undefined);
    if (common === undefined) return { kind: "handshake" };
    if (isRetry) throw error;
    return await discover(connection, options, common, true);
  }
}

function readDiscovery(result: JsonObject): Finding {
  const { supportedVersions, capabilities, instructions } = result;
  const protocolVersion = commonVersion(supportedVersions);
  if (protocolVersion === undefined || !isJsonObject(capabilities)) return { kind: "handshake" };
  const info = readImplementation(metaOf(result)[MetaKey.ServerInfo]);
  const server = {
    protocolVersion,
    capabilities: readServerCapabilities(capabilities),
    ...(info === undefined ? {} : { info }),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
  return { kind: "stateless", server };
}

function commonVersion(supported: unknown): string | undefined {
  return Array.isArray(supported)
    ? versionsOf("stateless").find((version) => supported.includes(version))
    : undefined;
}
