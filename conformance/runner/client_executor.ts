/**
 * Runs exchange cases against a client that is started by a command.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import type { Implementation } from "../kit/report.ts";
import { type CaseRun, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import { joinCommand } from "../kit/split_command.ts";
import { McpWatch } from "../invariants/mcp_watch.ts";
import { describeExit } from "../subject/driver.ts";
import type { TestServer } from "../subject/relay_test_server.ts";
import { type LineProcess, startLineProcess } from "../subject/line_process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { Trace } from "../subject/trace.ts";
import { runClientCase } from "./run_client_case.ts";
import { isForDriver } from "./driver_executor.ts";
import { type Executor, notApplicable } from "./executor.ts";
import type { ServerSettings } from "./server_executor.ts";

const DEADLINE_MS = 5000;

/** Creates an executor that starts a client once per case. */
export function openClient(
  command: readonly string[],
  groups: ProcessGroups,
  settings: ServerSettings,
): Promise<Executor> {
  return Promise.resolve(new ClientExecutor(command, groups, settings));
}

/** Returns true if a case is for an MCP client that is started by a command. */
export function isForClient(each: Case): boolean {
  const isOnWire = each.kind === "exchange" || each.kind === "invariant";
  return isOnWire && each.role === "client" && !isForDriver(each);
}

class ClientExecutor implements Executor {
  readonly transport: "stdio" | "http";
  readonly implementation: Implementation;
  readonly scale: number;
  readonly #command: readonly string[];
  readonly #groups: ProcessGroups;
  readonly #revision: string;
  readonly #watch: McpWatch = new McpWatch("client");

  constructor(
    command: readonly string[],
    groups: ProcessGroups,
    { revision, timeoutFactor }: ServerSettings,
  ) {
    this.#command = command;
    this.#groups = groups;
    this.#revision = revision;
    this.scale = timeoutFactor;
    this.transport = command.some((word) => word.includes("{peer}")) ? "stdio" : "http";
    this.implementation = { name: joinCommand(command), version: "0" };
  }

  covers(each: Case): boolean {
    return isForClient(each);
  }

  exclude({ needs, revisions = {} }: Case): CaseRun | undefined {
    const transports = needs?.transports;
    if (transports !== undefined && !transports.includes(this.transport)) {
      return notApplicable(`the case runs only over ${transports.join(" or ")}`);
    }
    const isInRange = this.#revision >= (revisions.from ?? "") &&
      this.#revision <= (revisions.to ?? "9");
    return isInRange
      ? undefined
      : notApplicable(`the case does not apply to protocol version ${this.#revision}`);
  }

  async execute(each: Case): Promise<CaseRun> {
    if (each.kind === "invariant") return this.#watch.settle(each.rule, each.except);
    if (each.kind !== "exchange") return { verdict: Verdict.KitFault, note: "not an exchange" };
    this.#watch.begin(each.id);
    const trace = new Trace();
    let client: LineProcess | undefined;
    const run = await runClientCase(each, {
      trace,
      watch: this.#watch,
      revision: this.#revision,
      transport: this.transport,
      deadlineMs: (each.timing?.deadlineMs ?? DEADLINE_MS) * this.scale,
      scale: this.scale,
      start: async (peer) => {
        let reason: string | undefined;
        client = await this.#start(each.id, peer, trace);
        client.exited.then((exit) => reason = `the process ${describeExit(exit)}`);
        return () => reason;
      },
    });
    const stderr = client?.errorExcerpt() ?? "";
    await client?.kill();
    if (!isFailingVerdict(run.verdict)) return run;
    return { ...run, trace: trace.lines(), ...(stderr === "" ? {} : { stderr }) };
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  async #start(id: string, { address }: TestServer, trace: Trace): Promise<LineProcess> {
    const { url, command, args } = address;
    const words = [String(command), ...(Array.isArray(args) ? args.map(String) : [])];
    const isHttp = this.transport === "http";
    return await startLineProcess({
      command: isHttp
        ? [...this.#command, String(url)]
        : this.#command.flatMap((word) =>
          word === "{peer}" ? words : [word.replaceAll("{peer}", joinCommand(words))]
        ),
      groups: this.#groups,
      env: {
        PARLEY_CASE: id,
        MCP_CONFORMANCE_SCENARIO: id,
        MCP_CONFORMANCE_CONTEXT: "{}",
        MCP_CONFORMANCE_PROTOCOL_VERSION: this.#revision,
        ...(isHttp ? { PARLEY_URL: String(url) } : { PARLEY_PEER_COMMAND: JSON.stringify(words) }),
      },
      onLine: (line) => trace.add("!", line),
      onOverflow: (bytes) => trace.add("!", `a line of ${bytes} bytes`),
    });
  }
}
