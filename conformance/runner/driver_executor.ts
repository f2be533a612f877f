/**
 * Runs cases through drivers, and restarts a driver after a crash.
 *
 * @module
 */

import type { Case, ProviderCase } from "../kit/case.ts";
import { KitError } from "../kit/error.ts";
import { InvariantLedger } from "../kit/invariant_ledger.ts";
import type { ProviderApi } from "../kit/provider_turn.ts";
import type { Implementation } from "../kit/report.ts";
import { libraryOf } from "../kit/select_cases.ts";
import { type CaseRun, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import { McpWatch } from "../invariants/mcp_watch.ts";
import { DriverSession, type SessionOptions } from "../kinds/driver_session.ts";
import { recordContracts } from "../kinds/contracts/record_contracts.ts";
import { ScriptedHost } from "../kinds/scripted_host.ts";
import { ScriptedProvider } from "../kinds/scripted_provider.ts";
import { runLoop } from "../kinds/loop.ts";
import { runProvider } from "../kinds/provider.ts";
import { settleCase } from "../kinds/case_end.ts";
import { runScript } from "../kinds/script.ts";
import { runVector } from "../kinds/vector.ts";
import type { DriverHello } from "../subject/driver_message.ts";
import { type CaseHooks, type Driver, startDriver } from "../subject/driver.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { Trace } from "../subject/trace.ts";
import { runClientCase } from "./run_client_case.ts";
import { calibrate, type Executor, notApplicable, untestable } from "./executor.ts";
import type { ServerSettings } from "./server_executor.ts";

/** A subject connected through a driver. */
export interface DriverSubject {
  /** Program and arguments of the driver. */
  readonly command: readonly string[];
  /** Maps the subject's error codes to those used in the cases. */
  readonly errorMap?: Readonly<Record<string, string>>;
}

/** Time allowed for the driver to start. A command such as `go run .` compiles the driver first. */
const HELLO_MS = 60_000;
const DEADLINE_MS = 2000;
/** Beginning of the features that name the APIs of model providers. */
const API_FEATURE = "api.";
const SYNC_MS = 500;
/**
 * Maximum number of consecutive crashes. If the driver exceeds this number, the remaining cases are
 * not run.
 */
const MAX_EXITS = 5;

/** Transports over which an MCP client can run. */
const TRANSPORTS = ["stdio", "http"] as const;

/**
 * Starts a driver. Returns one executor for each library, for cases without a transport, and one
 * for each transport that an MCP client can use. Each executor uses its own driver process, which
 * starts with the executor's first case, so that the executors can run at the same time.
 *
 * @param cases Cases that decide for which libraries and transports an executor is needed.
 * @throws {KitError} With code `subject_start` if the driver fails to start.
 */
export async function openDriver(
  subject: DriverSubject,
  groups: ProcessGroups,
  settings: ServerSettings,
  cases: readonly Case[],
): Promise<readonly Executor[]> {
  const start = (): Promise<Driver> =>
    startDriver({
      command: subject.command,
      groups,
      helloMs: HELLO_MS * settings.timeoutFactor,
      seed: settings.seed,
      kitVersion: settings.kitVersion,
    });
  const began = performance.now();
  const driver = await start();
  const scale = calibrate(performance.now() - began, settings.timeoutFactor);
  const { errorMap = {} } = subject;
  const options = { start, hello: driver.hello, scale, errorMap, revision: settings.revision };
  const libraries = [...new Set(cases.filter(isWithoutTransport).map(({ id }) => libraryOf(id)))];
  const transports = cases.some((each) => isForDrivenClient(each) || isForClients(each))
    ? TRANSPORTS
    : [];
  const shares: readonly DriverShare[] = [
    ...libraries.map((library) => ({ library })),
    ...transports.map((transport) => ({ transport })),
  ];
  // The process that has already started serves the first executor.
  return shares.map((share, index) =>
    new DriverExecutor(share, { ...options, ...(index === 0 ? { driver } : {}) })
  );
}

/**
 * The cases of one executor: the cases of one library that use no transport, or the MCP client
 * cases of one transport.
 */
type DriverShare = { readonly library: string } | { readonly transport: "stdio" | "http" };

/** Options for {@linkcode DriverExecutor}. */
interface DriverOptions {
  readonly start: () => Promise<Driver>;
  readonly hello: DriverHello;
  readonly scale: number;
  readonly errorMap: Readonly<Record<string, string>>;
  /** Protocol version that the kit uses when it acts as a server. */
  readonly revision: string;
  /** A driver that has already started. If omitted, the executor starts one with its first case. */
  readonly driver?: Driver;
}

class DriverExecutor implements Executor {
  readonly library?: string;
  readonly transport?: "stdio" | "http";
  readonly #options: DriverOptions;
  readonly #ledger: InvariantLedger = new InvariantLedger();
  readonly #watch: McpWatch = new McpWatch("client", this.#ledger);
  #driver: Driver | undefined;
  #exits = 0;

  constructor(share: DriverShare, options: DriverOptions) {
    if ("library" in share) this.library = share.library;
    else this.transport = share.transport;
    this.#options = options;
    this.#driver = options.driver;
  }

  get implementation(): Implementation {
    return this.#options.hello.implementation;
  }

  get scale(): number {
    return this.#options.scale;
  }

  covers(each: Case): boolean {
    if (this.transport !== undefined) return isForDrivenClient(each) || isForClients(each);
    return isWithoutTransport(each) && libraryOf(each.id) === this.library;
  }

  exclude(each: Case): CaseRun | undefined {
    const { hello, revision } = this.#options;
    const { extensions = [], features = [], transports } = each.needs ?? {};
    const { transport } = this;
    if (transport !== undefined && transports?.includes(transport) === false) {
      return notApplicable(`the case runs only over ${transports.join(" or ")}`);
    }
    if (transport !== undefined && !hello.transports.has(transport)) {
      return notApplicable(`the client does not support the transport "${transport}"`);
    }
    const { from = "", to = "9" } = each.revisions ?? {};
    const isOnWire = each.kind === "exchange" || each.kind === "invariant";
    if (isOnWire && (revision < from || revision > to)) {
      return notApplicable(`the case does not apply to protocol version ${revision}`);
    }
    if (each.kind === "provider" && !usesApi(hello.features, each.api)) {
      return notApplicable(`the subject does not use the API "${each.api}"`);
    }
    const extension = extensions.find((id) => !hello.features.has(id));
    if (extension !== undefined) {
      return notApplicable(`the client does not support the extension "${extension}"`);
    }
    const op = neededOps(each).find((name) => !hello.ops.has(name));
    if (op !== undefined) return untestable(`the driver does not implement the operation "${op}"`);
    const feature = features.find((name) => !hello.features.has(name));
    return feature === undefined
      ? undefined
      : untestable(`the driver does not support the feature "${feature}"`);
  }

  async execute(each: Case): Promise<CaseRun> {
    if (each.kind === "invariant") return this.#ledger.settle(each.rule, each.except);
    this.#watch.begin(each.id);
    if (this.#exits > MAX_EXITS) return notRun("the driver exited too often");
    const driver = await this.#ensureStarted();
    if (typeof driver === "string") return notRun(driver);
    const trace = new Trace();
    driver.takeNotes();
    const run = await this.#run(each, { driver, trace });
    // Reads all remaining output, so that a duplicate result is not attributed to the next case.
    if (run.verdict === Verdict.Pass) await driver.sync(SYNC_MS * this.scale);
    const judged = judge(run, driver);
    const isOver = await this.#isStuck(each, judged, driver) ||
      judged.verdict === Verdict.Crash || driver.isFlooding || driver.exit !== undefined;
    if (isOver) await this.#stop(driver);
    else this.#exits = 0;
    return isFailingVerdict(judged.verdict) ? { ...judged, ...evidence(driver, trace) } : judged;
  }

  async close(): Promise<void> {
    const driver = this.#driver;
    this.#driver = undefined;
    await driver?.close();
  }

  /**
   * Returns true if the driver no longer responds. In a client case, a timeout can also mean that
   * the driver still responds and only the client is stuck.
   */
  async #isStuck(each: Case, { verdict }: CaseRun, driver: Driver): Promise<boolean> {
    if (verdict !== Verdict.Hang) return false;
    return each.kind !== "exchange" || !await driver.sync(SYNC_MS * this.scale);
  }

  async #run(each: Case, { driver, trace }: CaseContext): Promise<CaseRun> {
    const { errorMap, revision } = this.#options;
    const options = {
      driver,
      deadlineMs: (each.timing?.deadlineMs ?? DEADLINE_MS) * this.scale,
      scale: this.scale,
      errorMap,
    };
    if (each.kind === "loop") {
      const session: DriverSession = new DriverSession({
        ...options,
        inspect: (value) => host.checkOutput(value),
      });
      const host = new ScriptedHost(each.host, session.captures, (problems) => {
        for (const [rule, found] of Object.entries(problems)) {
          this.#ledger.record(rule, { caseId: each.id, problems: found });
        }
      });
      driver.beginCase(each.id, hostHooks(host, trace));
      return await settleCase(() => runLoop(each, session, host));
    }
    if (each.kind === "provider") return await this.#runProvider(each, options, trace);
    const session = new DriverSession(options);
    driver.beginCase(each.id, { trace });
    if (each.kind === "exchange") {
      return await runClientCase(each, {
        trace,
        watch: this.#watch,
        transport: this.transport ?? "stdio",
        revision,
        deadlineMs: options.deadlineMs,
        scale: this.scale,
        driver: session,
      });
    }
    return await settleCase(async () => {
      if (each.kind === "vector") await runVector(each, session);
      else if (each.kind === "script") await runScript(each, session);
    });
  }

  async #runProvider(each: ProviderCase, options: SessionOptions, trace: Trace): Promise<CaseRun> {
    const session = new DriverSession(options);
    const host = new ScriptedHost(each.host ?? {}, session.captures);
    const provider = new ScriptedProvider(each, {
      host,
      trace,
      captures: session.captures,
      scale: options.scale,
    });
    options.driver.beginCase(each.id, {
      ...hostHooks(host, trace),
      onCall: (fn, args, call) => {
        if (fn === "tool.execute") provider.noteExecution(args);
        return host.answer(fn, args, call);
      },
    });
    const run = await settleCase(() => runProvider(each, { session, host, provider }));
    recordContracts(provider.record, each.id, this.#ledger);
    return run;
  }

  /** Returns the running driver, or the reason why the driver failed to start. */
  async #ensureStarted(): Promise<Driver | string> {
    try {
      return this.#driver ??= await this.#options.start();
    } catch (error) {
      this.#exits++;
      if (error instanceof KitError) return error.message;
      throw error;
    }
  }

  async #stop(driver: Driver): Promise<void> {
    this.#exits++;
    this.#driver = undefined;
    await driver.kill();
  }
}

/** The driver and message log for one case. */
interface CaseContext {
  readonly driver: Driver;
  readonly trace: Trace;
}

/** Returns all operations that a case calls or needs. */
export function neededOps(each: Case): readonly string[] {
  const own = each.kind === "vector"
    ? [each.op]
    : each.kind === "invariant"
    ? []
    : each.kind === "exchange"
    ? each.steps.flatMap((step) => "drive" in step ? [step.drive] : [])
    : each.steps.flatMap((step) => "do" in step ? [step.do] : "start" in step ? [step.start] : []);
  return [...own, ...each.needs?.ops ?? []];
}

/** Returns true if a case is run through a driver. */
export function isForDriver(each: Case): boolean {
  return isWithoutTransport(each) || isForDrivenClient(each);
}

function isWithoutTransport(each: Case): boolean {
  return each.kind === "invariant" ? each.role === undefined : each.kind !== "exchange";
}

/** A driver that names no APIs uses all of them. */
function usesApi(features: ReadonlySet<string>, api: ProviderApi): boolean {
  const named = [...features].filter((name) => name.startsWith(API_FEATURE));
  return named.length === 0 || named.includes(`${API_FEATURE}${api}`);
}

/** Returns true for the rules on what a client sends. */
function isForClients(each: Case): boolean {
  return each.kind === "invariant" && each.role === "client";
}

/** Returns true if a case is for an MCP client that the driver controls. */
function isForDrivenClient(each: Case): boolean {
  return each.kind === "exchange" && each.role === "client" &&
    each.steps.some((step) => "drive" in step);
}

function hostHooks(host: ScriptedHost, trace: Trace): CaseHooks {
  return {
    trace,
    onCall: (fn, args, call) => host.answer(fn, args, call),
    onCancelled: (call) => host.cancelled(call),
    onEvent: (name, data) => host.event(name, data),
  };
}

/** Changes the verdict of a passed case if the driver wrote malformed output. */
function judge(run: CaseRun, driver: Driver): CaseRun {
  const [first] = driver.takeNotes();
  if (first === undefined) return run;
  if (run.verdict !== Verdict.Pass && !driver.isFlooding) return { note: first, ...run };
  return { verdict: Verdict.Noise, expected: "only lines of the driver protocol", got: first };
}

function evidence(driver: Driver, trace: Trace): Partial<CaseRun> {
  const stderr = driver.errorExcerpt();
  return { trace: trace.lines(), ...(stderr === "" ? {} : { stderr }) };
}

function notRun(note: string): CaseRun {
  return { verdict: Verdict.NotRun, note };
}
