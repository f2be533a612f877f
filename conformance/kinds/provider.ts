/**
 * Cases of kind `provider`: a client of a model provider, with the kit as the provider.
 *
 * @module
 */

import type { HostStep, OpStep, ProviderCase } from "../kit/case.ts";
import type { JsonObject } from "../kit/json.ts";
import { pluralize } from "../kit/pluralize.ts";
import { failCase, notApplicableCase } from "./case_end.ts";
import type { DriverSession } from "./driver_session.ts";
import { playSteps } from "./loop.ts";
import type { ScriptedHost } from "./scripted_host.ts";
import type { ScriptedProvider } from "./scripted_provider.ts";

/** Operations to whose arguments the kit adds the address of the provider. */
const CONNECTING = ["model.open", "agent.run"];

/** Test environment of a case. */
export interface ProviderContext {
  /** Operations, handles and captured values. */
  readonly session: DriverSession;
  /** The tools of the kit. */
  readonly host: ScriptedHost;
  /** The provider, which does not listen yet. */
  readonly provider: ScriptedProvider;
}

/**
 * Runs the steps, then checks that all turns of the provider were used.
 *
 * @throws {CaseEnd} On the first violation of the script, or if a turn was not used.
 */
export async function runProvider(
  { api, turns, steps }: ProviderCase,
  { session, host, provider }: ProviderContext,
): Promise<void> {
  const baseUrl = await provider.listen();
  try {
    const address = { api, baseUrl, apiKey: "kit-key" };
    await playSteps(steps.map((step) => withAddress(step, address)), session, host);
  } finally {
    await provider.close();
  }
  const { nextTurn, record } = provider;
  if (nextTurn?.optional !== undefined) throw notApplicableCase(nextTurn.optional);
  if (nextTurn === undefined) return;
  throw failCase({
    expected: pluralize(turns.length, "request"),
    got: pluralize(record.exchanges.length, "request"),
  });
}

function withAddress(step: OpStep | HostStep, address: JsonObject): OpStep | HostStep {
  const op = "do" in step ? step.do : "start" in step ? step.start : undefined;
  if (op === undefined || !CONNECTING.includes(op)) return step;
  return { ...step, args: { ...address, ...("args" in step ? step.args : {}) } };
}
