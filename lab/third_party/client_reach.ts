/**
 * Lists which requirements of MCP clients can be tested with a driver that has only the operations
 * of the drivers for the official SDKs.
 *
 *     deno run -A lab/third_party/client_reach.ts
 *
 * @module
 */

import clauses from "../../conformance/spec/clauses.json" with { type: "json" };
import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { neededOps } from "../../conformance/runner/driver_executor.ts";
import { loadSuite } from "../../conformance/suite.ts";

/** Operations of the drivers for the official SDKs that `mcp_client.ts` serves. */
export const SDK_OPS: ReadonlySet<string> = new Set([
  "mcp.client.callTool",
  "mcp.client.complete",
  "mcp.client.connect",
  "mcp.client.disconnect",
  "mcp.client.getPrompt",
  "mcp.client.getResource",
  "mcp.client.heard",
  "mcp.client.listPrompts",
  "mcp.client.listResources",
  "mcp.client.listResourceTemplates",
  "mcp.client.listTools",
  "mcp.client.setLogLevel",
]);

/** Features of these drivers. */
export const SDK_FEATURES: ReadonlySet<string> = new Set([
  "mcp.client.dualEra",
  "mcp.client.handlers",
  "mcp.client.pages",
  "mcp.client.progress",
  "mcp.client.protocol",
  "mcp.client.rpcErrors",
]);

/** A requirement of clients, and the required cases that test it. */
export interface ClauseReach {
  /** Id of the clause. */
  readonly clause: string;
  /** Ids of all required cases. */
  readonly cases: readonly string[];
  /** Ids of the cases that a driver of an SDK can run, including invariants. */
  readonly reachable: readonly string[];
}

/**
 * Lists the MUST clauses of the protocol that required cases for clients test. Decisions of this
 * project and extensions are not requirements of every client, so they are left out.
 */
export function listClientReach(suite: Suite): readonly ClauseReach[] {
  const musts = new Set(
    clauses.filter(({ level, refs }) => level === CaseLevel.Must && refs.length > 0)
      .map(({ id }) => id),
  );
  const cases = [...suite.values()].filter(isForEveryClient);
  const named = [...new Set(cases.flatMap((each) => each.clauses))].filter((id) => musts.has(id));
  return named.sort().map((clause) => {
    const all = cases.filter((each) => each.clauses.includes(clause));
    return {
      clause,
      cases: all.map(({ id }) => id),
      reachable: all.filter(isReachable).map(({ id }) => id),
    };
  });
}

function isForEveryClient({ level, basis, needs, ...each }: Case): boolean {
  const { extensions = [], features = [] } = needs ?? {};
  const isExtension = [...extensions, ...features].some((name) => name.includes("/"));
  return "role" in each && each.role === "client" && level === CaseLevel.Must &&
    basis !== "decision" && !isExtension;
}

function isReachable(each: Case): boolean {
  return neededOps(each).every((op) => SDK_OPS.has(op)) &&
    (each.needs?.features ?? []).every((feature) => SDK_FEATURES.has(feature));
}

if (import.meta.main) {
  const rows = listClientReach(loadSuite());
  for (const { clause, reachable, cases } of rows) {
    const example = reachable[0] ?? `NONE of ${cases.length}, such as ${cases[0]}`;
    console.log(`${clause.padEnd(16)} ${String(reachable.length).padStart(3)}  ${example}`);
  }
  const reached = rows.filter(({ reachable }) => reachable.length > 0).length;
  console.log(`${reached} of ${rows.length} MUST clauses of clients have a reachable case`);
}
