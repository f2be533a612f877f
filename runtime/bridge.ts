/**
 * Connections between agents and other programs: agents that are served to other agents, tools that
 * call served agents, and agents as tools and models in the Model Context Protocol.
 *
 * The functions accept and return plain JSON, so they work with the peers from
 * `@parley/comm/requests`, the servers and clients from `@parley/mcp`, and any other objects with
 * the same methods.
 *
 * @example Ask an agent in another program
 * ```ts
 * import { createChannelPair, generateSigner } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { createPeer } from "@parley/comm/requests";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { agentService, remoteAgent } from "@parley/runtime/bridge";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { serveRuns } from "@parley/runtime/serve";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const [clerk, oracle] = [await generateSigner(), await generateSigner()];
 * const [clerkSide, oracleSide] = createChannelPair();
 * const protocol = "agent.task.v1";
 * const verifierOf = (recipient: string) =>
 *   createVerifier({ recipient, replayGuard: new ReplayGuard() });
 *
 * // The serving side. With `sqliteRuns` instead of `memoryRuns`, tasks survive a crash.
 * const answers = scriptedModel([{ text: "42" }]);
 * const make = () => new ToolLoopAgent({ name: "oracle", model: answers });
 * const runs = openRuns(memoryRuns(), { oracle: { version: "1", make } });
 * const working = runs.work();
 * const server = createPeer({
 *   signer: oracle,
 *   verifier: verifierOf(oracle.did),
 *   transport: oracleSide,
 *   protocol,
 * });
 * server.serve(agentService(serveRuns(runs, { agent: "oracle" })));
 *
 * // The requesting side.
 * const peer = createPeer({
 *   signer: clerk,
 *   verifier: verifierOf(clerk.did),
 *   transport: clerkSide,
 *   protocol,
 * });
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model: scriptedModel([
 *     { calls: [{ toolName: "ask_oracle", input: { task: "6 * 7?" } }] },
 *     { text: "It is 42" },
 *   ]),
 *   tools: [remoteAgent({
 *     name: "ask_oracle",
 *     description: "Answers difficult questions",
 *     recipient: oracle.did,
 *     peer,
 *   })],
 * });
 * const { finalText, iterations } = await agent.run("What is 6 * 7?");
 * assertEquals(iterations[0]?.toolResults[0]?.output, { type: "text", value: "42" });
 * assertEquals(finalText, "It is 42");
 * await Promise.all([agent.terminate(), peer.close(), server.close(), runs.close()]);
 * await working;
 * ```
 *
 * @module
 */

export {
  agentMcpTool,
  type AgentMcpToolOptions,
  type McpToolContext,
  type McpToolDefinition,
  type McpToolHandler,
  type McpToolResult,
} from "./bridge/agent_mcp_tool.ts";
export {
  type AgentService,
  agentService,
  type AgentServiceOptions,
  type ServiceContext,
  type ServiceRequest,
} from "./bridge/agent_service.ts";
export { remoteAgent, type RemoteAgentOptions, type RequestSender } from "./bridge/remote_agent.ts";
export { samplingFrom, type SamplingOptions, type SamplingResult } from "./bridge/sampling.ts";
export type {
  PendingKey,
  TaskRequest,
  TaskResponse,
  TaskStatus,
  TaskUpdate,
} from "./bridge/task.ts";
