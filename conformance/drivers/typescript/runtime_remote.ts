/**
 * Tools of remote agents, whose responses come from the host.
 *
 * @module
 */

import type { Tool } from "@parley/runtime";
import { remoteAgent } from "@parley/runtime/bridge";
import { type Fields, fieldsOf, type HostClient, isFields, textOf } from "./operation.ts";

/**
 * Creates the tool of a remote agent. The host returns the response as `payload`, and the `updates`
 * before it.
 */
export function toRemoteTool(definition: Fields, host: HostClient): Tool<never> {
  const { maxTotalMs, recipient, timeoutMs } = fieldsOf(definition, "remote");
  const name = textOf(definition, "name");
  return remoteAgent({
    name,
    description: textOf(definition, "description"),
    // The library validates the options.
    recipient: recipient as string,
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number }),
    ...(maxTotalMs === undefined ? {} : { maxTotalMs: maxTotalMs as number }),
    peer: {
      request: async (recipientDid, task, { onUpdate, signal, ...limits }) => {
        const args = { name, recipient: recipientDid, task, ...limits };
        const answer = await host.call("tool.execute", args, signal);
        const { payload, updates } = isFields(answer) ? answer : {};
        if (Array.isArray(updates)) { for (const update of updates) onUpdate?.(update); }
        return payload;
      },
    },
  });
}
