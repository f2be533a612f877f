/**
 * Runs exchange cases against an MCP server, over stdio or HTTP.
 *
 * @module
 */

import type { Case, ExchangeCase, InvariantCase } from "../kit/case.ts";
import type { KitError } from "../kit/error.ts";
import type { Implementation } from "../kit/report.ts";
import { type CaseRun, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import { assertNoViolation, runExchange, type WireContext } from "../kinds/exchange.ts";
import {
  isModernVersion,
  modernMeta,
  openSession,
  type ServerInfo,
} from "../kinds/open_session.ts";
import { settleCase } from "../kinds/case_end.ts";
import { isWindows } from "../platform/process.ts";
import type { McpWatch } from "../invariants/mcp_watch.ts";
import { describeExit } from "../subject/driver.ts";
import type { HttpServer } from "../subject/http_server.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import type { StdioServer } from "../subject/stdio_server.ts";
import { Trace } from "../subject/trace.ts";
import {
  excludeSignals,
  type Executor,
  type ExecutorSettings,
  notApplicable,
  untestable,
} from "./executor.ts";

/** Options for executors that connect to MCP subjects. */
export interface ServerSettings extends ExecutorSettings {
  /** Requested protocol version. */
  readonly revision: string;
}

const DEADLINE_MS = 2000;
/** Time allowed for a response while a session is opened, in milliseconds. */
export const OPEN_MS = 10_000;
/**
 * Number of successive failed cases in which the server sends nothing, or of failed attempts to
 * open a session, after which no more cases are run.
 */
const MAX_SILENT_CASES = 10;
const MAX_FAILED_OPENINGS = 3;

/** A connection to a server. */
export type Connection = StdioServer | HttpServer;
/** Opens a new connection to the server. */
export type Connect = () => Promise<Connection>;

/** Information about a server, collected before its first case. */
export interface ServerDetails {
  readonly connect: Connect;
  /** Checks everything that passes over the connections. */
  readonly watch: McpWatch;
  /** Stops the server that all connections share. */
  readonly stop: () => Promise<void>;
  /** Protocol version that the kit requested. */
  readonly requestedRevision: string;
  readonly info: ServerInfo;
  readonly fixtures: ReadonlySet<string>;
  readonly scale: number;
  /** Time between a request and its response, in milliseconds. */
  readonly roundTripMs: number;
  /**
   * Reason why no session could be opened, and the result of the first case that needs a session.
   */
  readonly failedOpen?: {
    readonly error: KitError;
    readonly run: CaseRun;
    /** Whether no case can be run, not even a case that opens its own session. */
    readonly isHopeless: boolean;
  };
}

/** Runs exchange cases over the connections to one server. */
export class ServerExecutor implements Executor {
  readonly transport: "stdio" | "http";
  readonly implementation: Implementation;
  readonly scale: number;
  readonly openError?: KitError;
  readonly #connect: Connect;
  readonly #watch: McpWatch;
  readonly #stop: () => Promise<void>;
  readonly #requestedRevision: string;
  readonly #info: ServerInfo;
  readonly #fixtures: ReadonlySet<string>;
  readonly #hasSessions: boolean;
  /** Ids of requests that were cancelled in earlier cases. */
  readonly #gone: Set<unknown> = new Set();
  readonly #roundTripMs: number;
  #shared: Connection | undefined;
  /** A connection whose process was started in advance. */
  #spare: Promise<Connection | undefined> | undefined;
  #ids = 0;
  /** Result of the next case that needs a session, if no session could be opened. */
  #failedOpen: CaseRun | undefined;
  /** Whether `#failedOpen` is also the result of cases that open their own sessions. */
  #isHopeless = false;
  #silentCases = 0;
  #failedOpenings = 0;

  /** Creates an executor for the first connection, whose session is open. */
  constructor(
    { connect, watch, stop, requestedRevision, info, fixtures, scale, roundTripMs, failedOpen }:
      ServerDetails,
    connection: Connection,
  ) {
    if (failedOpen !== undefined) {
      this.openError = failedOpen.error;
      this.#failedOpen = { ...failedOpen.run, note: NO_SESSION };
      this.#isHopeless = failedOpen.isHopeless;
    }
    this.#connect = connect;
    this.#watch = watch;
    this.#stop = stop;
    this.#hasSessions = connection.transport === "http" && connection.session !== undefined;
    this.#shared = failedOpen === undefined ? connection : undefined;
    this.#requestedRevision = requestedRevision;
    this.#info = info;
    this.#fixtures = fixtures;
    this.scale = scale;
    this.#roundTripMs = roundTripMs;
    this.transport = connection.transport;
    this.implementation = { name: info.name, version: info.version };
  }

  covers(each: Case): boolean {
    return isForServer(each);
  }

  exclude(each: Case): CaseRun | undefined {
    const { needs = {}, revisions = {} } = each;
    const { transports, capabilities = [], undeclared = [], extensions = [], fixtures = [] } =
      needs;
    // A case that opens its own session does not depend on the negotiated version.
    const isOpen = each.kind === "invariant" ||
      (each.kind === "exchange" && each.session !== "none");
    const revision = isOpen ? this.#info.revision : this.#requestedRevision;
    if (transports !== undefined && !transports.includes(this.transport)) {
      return notApplicable(`the case runs only over ${transports.join(" or ")}`);
    }
    if (revision < (revisions.from ?? "") || revision > (revisions.to ?? "9")) {
      return notApplicable(`the case does not apply to protocol version ${revision}`);
    }
    const withoutSignals = excludeSignals(each, isWindows());
    if (withoutSignals !== undefined) return withoutSignals;
    if (this.#failedOpen !== undefined && this.#isBlocked(each)) return undefined;
    if (needs.session === true && !this.#hasSessions) {
      return notApplicable("the server has no sessions");
    }
    const capability = capabilities.find((name) => !this.#info.capabilities.has(name));
    if (capability !== undefined) {
      return notApplicable(`the capability "${capability}" is not declared`);
    }
    const declared = undeclared.find((name) => this.#info.capabilities.has(name));
    if (declared !== undefined) return notApplicable(`the capability "${declared}" is declared`);
    const extension = extensions.find((id) => !this.#info.extensions.has(id));
    if (extension !== undefined) {
      return notApplicable(`the extension "${extension}" is not declared`);
    }
    const missing = fixtures.filter((name) => !this.#fixtures.has(name));
    if (missing.length === 0) return undefined;
    const names = missing.map((name) => `"${name}"`).join(" and ");
    const note = `the server has no fixture ${names}`;
    return { ...untestable(note), missingFixtures: missing };
  }

  async execute(each: Case): Promise<CaseRun> {
    if (each.kind === "invariant") return this.#settle(each);
    if (each.kind !== "exchange") return { verdict: Verdict.KitFault, note: "not an exchange" };
    this.#watch.begin(each.id);
    if (this.#failedOpen !== undefined && this.#isBlocked(each)) {
      const run = this.#failedOpen;
      if (run.verdict !== Verdict.NotRun) {
        this.#failedOpen = { verdict: Verdict.NotRun, note: `${NO_SESSION}: got ${run.got ?? ""}` };
      }
      return run;
    }
    const isFresh = each.isolation === "process" || each.session === "none";
    const trace = new Trace();
    const opened = isFresh ? await this.#open(each, trace) : await this.#share(each, trace);
    if ("verdict" in opened) {
      this.#countFailedOpening(opened);
      return opened;
    }
    this.#failedOpenings = 0;
    const receivedBefore = trace.received;
    const { connection, peer } = opened;
    const run = judge(
      await settleCase(() => runExchange(each, this.#context(each, opened))),
      connection,
    );
    for (const id of peer.cancelled) this.#gone.add(id);
    this.#countSilence(run, trace.received > receivedBefore);
    const evidence = isFailingVerdict(run.verdict)
      ? { trace: peer.trace.lines(), ...stderrOf(connection) }
      : {};
    if (isFresh) await end(connection);
    else if (isFailingVerdict(run.verdict) || downReason(connection) !== undefined) {
      await this.#drop();
    }
    return { ...run, ...evidence };
  }

  /** What a server that opens no session sends proves nothing. */
  #settle({ rule, except }: InvariantCase): CaseRun {
    return this.openError === undefined
      ? this.#watch.settle(rule, except)
      : notApplicable(NO_SESSION);
  }

  async close(): Promise<void> {
    await this.#shared?.close();
    this.#shared = undefined;
    const spare = await this.#takeSpare();
    if (spare !== undefined) await end(spare);
    await this.#stop();
  }

  #isBlocked(each: Case): boolean {
    return this.#isHopeless || needsSession(each);
  }

  /** Ends the run of a server that no longer opens sessions, such as one that has exited. */
  #countFailedOpening({ note, got }: CaseRun): void {
    if (this.#shared !== undefined || ++this.#failedOpenings < MAX_FAILED_OPENINGS) return;
    this.#endRun(`the last ${MAX_FAILED_OPENINGS} sessions could not be opened: ${got ?? note}`);
  }

  /** Ends the run of a server that no longer responds. */
  #countSilence({ verdict }: CaseRun, hasReceived: boolean): void {
    if (hasReceived) this.#silentCases = 0;
    else if (isFailingVerdict(verdict)) this.#silentCases++;
    if (this.#silentCases < MAX_SILENT_CASES) return;
    this.#endRun(`the server sent nothing in the last ${MAX_SILENT_CASES} failed cases`);
  }

  #endRun(note: string): void {
    this.#failedOpen = { verdict: Verdict.NotRun, note };
    this.#isHopeless = true;
  }

  #context(each: ExchangeCase, { connection, peer }: Opened): WireContext {
    const { revision } = this.#info;
    const isModern = isModernVersion(revision);
    return {
      peer,
      captures: namesOf(connection),
      deadlineMs: (each.timing?.deadlineMs ?? DEADLINE_MS) * this.scale,
      scale: this.scale,
      nextId: () => ++this.#ids,
      downReason: () => downReason(connection),
      ...(isModern && each.session !== "none"
        ? { meta: modernMeta(revision, each.needs?.extensions) }
        : {}),
      ...(connection.transport === "stdio" ? { process: connection } : { server: connection }),
      ...(connection.transport === "stdio"
        ? {}
        : isModern
        ? { cancel: (id) => connection.cancel(id) }
        : { listen: () => connection.listen() }),
    };
  }

  /** Opens a new connection, and a session unless the case opens its own session. */
  async #open(each: ExchangeCase, trace: Trace): Promise<Opened | CaseRun> {
    let connection: Connection | undefined;
    const run = await settleCase(async () => {
      connection = await this.#takeConnection();
      if (each.session === "none") return;
      const peer = new RpcConnection(connection, trace);
      connection.attach(peer);
      await openSession(peer, this.#info.revision, OPEN_MS * this.scale);
      assertNoViolation(peer);
    });
    if (connection !== undefined && run.verdict === Verdict.Pass) {
      return this.#join(connection, trace);
    }
    await connection?.close();
    const note = run.note === undefined ? NO_SESSION : `${NO_SESSION}: ${run.note}`;
    return { ...run, note, trace: trace.lines() };
  }

  /**
   * Returns a connection to a new process, and starts the process for the next such case, because
   * many servers take longer to start than a case takes.
   */
  async #takeConnection(): Promise<Connection> {
    const spare = await this.#takeSpare();
    if (spare !== undefined && downReason(spare) !== undefined) await spare.close();
    const isUsable = spare !== undefined && downReason(spare) === undefined;
    const connection = isUsable ? spare : await this.#connect();
    if (this.transport === "stdio") {
      // If the process cannot be started, the next case starts it again and reports the reason.
      this.#spare = this.#connect().catch(() => undefined);
    }
    return connection;
  }

  async #takeSpare(): Promise<Connection | undefined> {
    const spare = await this.#spare;
    this.#spare = undefined;
    return spare;
  }

  async #share(each: ExchangeCase, trace: Trace): Promise<Opened | CaseRun> {
    if (this.#shared !== undefined) return this.#join(this.#shared, trace);
    const opened = await this.#open(each, trace);
    if (!("verdict" in opened)) this.#shared = opened.connection;
    return opened;
  }

  #join(connection: Connection, trace: Trace): Opened {
    const peer = new RpcConnection(connection, trace, this.#ids + 1, this.#gone);
    peer.roundTripMs = this.#roundTripMs;
    connection.attach(peer);
    connection.beginCase();
    return { connection, peer };
  }

  async #drop(): Promise<void> {
    const connection = this.#shared;
    this.#shared = undefined;
    if (connection !== undefined) await end(connection);
  }
}

/** Returns true if a case is for an MCP server. */
export function isForServer(each: Case): boolean {
  return (each.kind === "exchange" || each.kind === "invariant") && each.role === "server";
}

/** Values that steps can refer to by name. */
function namesOf(connection: Connection): Map<string, unknown> {
  if (connection.transport === "stdio") return new Map();
  const { session, version } = connection;
  return new Map(Object.entries({ session, version }).filter(([, value]) => value !== undefined));
}

/** Start of the note of a result if no session could be opened for the case. */
export const NO_SESSION = "the session could not be opened";

/**
 * Returns true if a case needs a session or information that the server returns when a session is
 * opened.
 */
function needsSession({ kind, needs = {}, ...rest }: Case): boolean {
  const { capabilities, undeclared, extensions, fixtures, session } = needs;
  const isOpen = kind === "exchange" && !("session" in rest && rest.session === "none");
  return isOpen || session === true ||
    [capabilities, undeclared, extensions, fixtures].some((names) => names !== undefined);
}

interface Opened {
  readonly connection: Connection;
  readonly peer: RpcConnection;
}

async function end(connection: Connection): Promise<void> {
  await (connection.transport === "stdio" ? connection.kill() : connection.close());
}

/** Returns the reason why a server exited or is unreachable. */
export function downReason(connection: Connection): string | undefined {
  if (connection.transport === "http") return connection.failure;
  return connection.exit === undefined ? undefined : `the process ${describeExit(connection.exit)}`;
}

/**
 * Changes a pass to `noise` if the server wrote anything except messages to standard output (MCP,
 * Transports §stdio).
 */
function judge(run: CaseRun, connection: Connection): CaseRun {
  const [first] = connection.transport === "stdio" ? connection.takeMalformedLines() : [];
  if (first === undefined) return run;
  if (run.verdict !== Verdict.Pass) {
    return { note: `the server wrote ${JSON.stringify(first)}`, ...run };
  }
  return { verdict: Verdict.Noise, expected: "only messages on standard output", got: first };
}

function stderrOf(connection: Connection): { readonly stderr?: string } {
  const stderr = connection.errorExcerpt();
  return stderr === "" ? {} : { stderr };
}
