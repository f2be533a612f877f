/**
 * The kit's case files.
 *
 * The case files are imported statically, which makes them part of the published package on all runtimes.
 *
 * @module
 */

import commAborted from "./cases/comm/aborted.json" with { type: "json" };
import commCanonicalJson from "./cases/comm/canonical_json.json" with { type: "json" };
import commChannel from "./cases/comm/channel.json" with { type: "json" };
import commDidKey from "./cases/comm/did_key.json" with { type: "json" };
import commDidResolution from "./cases/comm/did_resolution.json" with { type: "json" };
import commDidWeb from "./cases/comm/did_web.json" with { type: "json" };
import commEd25519 from "./cases/comm/ed25519.json" with { type: "json" };
import commEd25519Edges from "./cases/comm/ed25519_edges.json" with { type: "json" };
import commKeyFormats from "./cases/comm/key_formats.json" with { type: "json" };
import commMessage from "./cases/comm/message.json" with { type: "json" };
import commMessageJson from "./cases/comm/message_json.json" with { type: "json" };
import commNegotiation from "./cases/comm/negotiation.json" with { type: "json" };
import commNegotiationOffer from "./cases/comm/negotiation_offer.json" with { type: "json" };
import commNoop from "./cases/comm/noop.json" with { type: "json" };
import commPolicy from "./cases/comm/policy.json" with { type: "json" };
import commProof from "./cases/comm/proof.json" with { type: "json" };
import commProofOptions from "./cases/comm/proof_options.json" with { type: "json" };
import commProtocolId from "./cases/comm/protocol_id.json" with { type: "json" };
import commReply from "./cases/comm/reply.json" with { type: "json" };
import commRequests from "./cases/comm/requests.json" with { type: "json" };
import commSignedNegotiation from "./cases/comm/signed_negotiation.json" with { type: "json" };
import commSigning from "./cases/comm/signing.json" with { type: "json" };
import commStream from "./cases/comm/stream.json" with { type: "json" };
import commTime from "./cases/comm/time.json" with { type: "json" };
import commVerification from "./cases/comm/verification.json" with { type: "json" };
import commVerifierOptions from "./cases/comm/verifier_options.json" with { type: "json" };
import commVerifyAll from "./cases/comm/verify_all.json" with { type: "json" };
import commWebSocket from "./cases/comm/websocket.json" with { type: "json" };
import mcpApps from "./cases/mcp/apps.json" with { type: "json" };
import mcpAuthorization from "./cases/mcp/authorization.json" with { type: "json" };
import mcpAuthorizationEdges from "./cases/mcp/authorization_edges.json" with { type: "json" };
import mcpClient from "./cases/mcp/client.json" with { type: "json" };
import mcpClientApps from "./cases/mcp/client_apps.json" with { type: "json" };
import mcpClientEdges from "./cases/mcp/client_edges.json" with { type: "json" };
import mcpClientFeatures from "./cases/mcp/client_features.json" with { type: "json" };
import mcpClientHttp from "./cases/mcp/client_http.json" with { type: "json" };
import mcpClientOptions from "./cases/mcp/client_options.json" with { type: "json" };
import mcpClientResults from "./cases/mcp/client_results.json" with { type: "json" };
import mcpClientSessions from "./cases/mcp/client_sessions.json" with { type: "json" };
import mcpClientSkills from "./cases/mcp/client_skills.json" with { type: "json" };
import mcpClientSse from "./cases/mcp/client_sse.json" with { type: "json" };
import mcpClientTasks from "./cases/mcp/client_tasks.json" with { type: "json" };
import mcpCompletion from "./cases/mcp/completion.json" with { type: "json" };
import mcpError from "./cases/mcp/error.json" with { type: "json" };
import mcpExtensions from "./cases/mcp/extensions.json" with { type: "json" };
import mcpHandle from "./cases/mcp/handle.json" with { type: "json" };
import mcpHttp from "./cases/mcp/http.json" with { type: "json" };
import mcpHttpSession from "./cases/mcp/http_session.json" with { type: "json" };
import mcpHttpStateless from "./cases/mcp/http_stateless.json" with { type: "json" };
import mcpJsonRpc from "./cases/mcp/json_rpc.json" with { type: "json" };
import mcpLifecycle from "./cases/mcp/lifecycle.json" with { type: "json" };
import mcpLogging from "./cases/mcp/logging.json" with { type: "json" };
import mcpPagination from "./cases/mcp/pagination.json" with { type: "json" };
import mcpPkce from "./cases/mcp/pkce.json" with { type: "json" };
import mcpProgress from "./cases/mcp/progress.json" with { type: "json" };
import mcpPrompts from "./cases/mcp/prompts.json" with { type: "json" };
import mcpQuestions from "./cases/mcp/questions.json" with { type: "json" };
import everything from "./cases/mcp/recorded/everything.json" with { type: "json" };
import everythingHttp from "./cases/mcp/recorded/everything_http.json" with { type: "json" };
import filesystem from "./cases/mcp/recorded/filesystem.json" with { type: "json" };
import memory from "./cases/mcp/recorded/memory.json" with { type: "json" };
import sequential from "./cases/mcp/recorded/sequential_thinking.json" with { type: "json" };
import mcpResources from "./cases/mcp/resources.json" with { type: "json" };
import mcpServer from "./cases/mcp/server.json" with { type: "json" };
import mcpServerFeatures from "./cases/mcp/server_features.json" with { type: "json" };
import mcpServerHttp from "./cases/mcp/server_http.json" with { type: "json" };
import mcpSkills from "./cases/mcp/skills.json" with { type: "json" };
import mcpStateless from "./cases/mcp/stateless.json" with { type: "json" };
import mcpStdio from "./cases/mcp/stdio.json" with { type: "json" };
import mcpSubscriptions from "./cases/mcp/subscriptions.json" with { type: "json" };
import mcpTasks from "./cases/mcp/tasks.json" with { type: "json" };
import mcpTools from "./cases/mcp/tools.json" with { type: "json" };
import mcpTransports from "./cases/mcp/transports.json" with { type: "json" };
import mcpValues from "./cases/mcp/values.json" with { type: "json" };
import runtimeAbort from "./cases/runtime/abort.json" with { type: "json" };
import runtimeApproval from "./cases/runtime/approval.json" with { type: "json" };
import runtimeChannel from "./cases/runtime/channel.json" with { type: "json" };
import runtimeEdges from "./cases/runtime/edges.json" with { type: "json" };
import runtimeError from "./cases/runtime/error.json" with { type: "json" };
import runtimeEvents from "./cases/runtime/events.json" with { type: "json" };
import runtimeHealth from "./cases/runtime/health.json" with { type: "json" };
import runtimeJournal from "./cases/runtime/journal.json" with { type: "json" };
import runtimeLifecycle from "./cases/runtime/lifecycle.json" with { type: "json" };
import runtimeLoop from "./cases/runtime/loop.json" with { type: "json" };
import runtimeMessage from "./cases/runtime/message.json" with { type: "json" };
import runtimeModel from "./cases/runtime/model.json" with { type: "json" };
import runtimeOutput from "./cases/runtime/output.json" with { type: "json" };
import runtimePrepare from "./cases/runtime/prepare.json" with { type: "json" };
import runtimeRegistry from "./cases/runtime/registry.json" with { type: "json" };
import runtimeRepair from "./cases/runtime/repair.json" with { type: "json" };
import runtimeStop from "./cases/runtime/stop.json" with { type: "json" };
import runtimeSubAgent from "./cases/runtime/sub_agent.json" with { type: "json" };
import runtimeTasks from "./cases/runtime/tasks.json" with { type: "json" };
import runtimeTelemetry from "./cases/runtime/telemetry.json" with { type: "json" };
import runtimeTools from "./cases/runtime/tools.json" with { type: "json" };
import runtimeWait from "./cases/runtime/wait.json" with { type: "json" };
import runtimeWorkflow from "./cases/runtime/workflow.json" with { type: "json" };
import { joinSuite, type Suite } from "./kit/load_cases.ts";

/** Parsed case files, keyed by their path relative to `cases/`. */
const FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["comm/aborted.json", commAborted],
  ["comm/canonical_json.json", commCanonicalJson],
  ["comm/channel.json", commChannel],
  ["comm/did_key.json", commDidKey],
  ["comm/did_resolution.json", commDidResolution],
  ["comm/did_web.json", commDidWeb],
  ["comm/ed25519.json", commEd25519],
  ["comm/ed25519_edges.json", commEd25519Edges],
  ["comm/key_formats.json", commKeyFormats],
  ["comm/message.json", commMessage],
  ["comm/message_json.json", commMessageJson],
  ["comm/negotiation.json", commNegotiation],
  ["comm/negotiation_offer.json", commNegotiationOffer],
  ["comm/noop.json", commNoop],
  ["comm/policy.json", commPolicy],
  ["comm/proof.json", commProof],
  ["comm/proof_options.json", commProofOptions],
  ["comm/protocol_id.json", commProtocolId],
  ["comm/reply.json", commReply],
  ["comm/requests.json", commRequests],
  ["comm/signed_negotiation.json", commSignedNegotiation],
  ["comm/signing.json", commSigning],
  ["comm/stream.json", commStream],
  ["comm/time.json", commTime],
  ["comm/verification.json", commVerification],
  ["comm/verifier_options.json", commVerifierOptions],
  ["comm/verify_all.json", commVerifyAll],
  ["comm/websocket.json", commWebSocket],
  ["mcp/apps.json", mcpApps],
  ["mcp/authorization.json", mcpAuthorization],
  ["mcp/authorization_edges.json", mcpAuthorizationEdges],
  ["mcp/client.json", mcpClient],
  ["mcp/client_apps.json", mcpClientApps],
  ["mcp/client_edges.json", mcpClientEdges],
  ["mcp/client_features.json", mcpClientFeatures],
  ["mcp/client_http.json", mcpClientHttp],
  ["mcp/client_options.json", mcpClientOptions],
  ["mcp/client_results.json", mcpClientResults],
  ["mcp/client_sessions.json", mcpClientSessions],
  ["mcp/client_skills.json", mcpClientSkills],
  ["mcp/client_sse.json", mcpClientSse],
  ["mcp/client_tasks.json", mcpClientTasks],
  ["mcp/completion.json", mcpCompletion],
  ["mcp/error.json", mcpError],
  ["mcp/extensions.json", mcpExtensions],
  ["mcp/handle.json", mcpHandle],
  ["mcp/http.json", mcpHttp],
  ["mcp/http_session.json", mcpHttpSession],
  ["mcp/http_stateless.json", mcpHttpStateless],
  ["mcp/json_rpc.json", mcpJsonRpc],
  ["mcp/lifecycle.json", mcpLifecycle],
  ["mcp/logging.json", mcpLogging],
  ["mcp/pagination.json", mcpPagination],
  ["mcp/pkce.json", mcpPkce],
  ["mcp/progress.json", mcpProgress],
  ["mcp/prompts.json", mcpPrompts],
  ["mcp/questions.json", mcpQuestions],
  ["mcp/recorded/everything.json", everything],
  ["mcp/recorded/everything_http.json", everythingHttp],
  ["mcp/recorded/filesystem.json", filesystem],
  ["mcp/recorded/memory.json", memory],
  ["mcp/recorded/sequential_thinking.json", sequential],
  ["mcp/resources.json", mcpResources],
  ["mcp/server.json", mcpServer],
  ["mcp/server_features.json", mcpServerFeatures],
  ["mcp/server_http.json", mcpServerHttp],
  ["mcp/skills.json", mcpSkills],
  ["mcp/stateless.json", mcpStateless],
  ["mcp/stdio.json", mcpStdio],
  ["mcp/subscriptions.json", mcpSubscriptions],
  ["mcp/tasks.json", mcpTasks],
  ["mcp/tools.json", mcpTools],
  ["mcp/transports.json", mcpTransports],
  ["mcp/values.json", mcpValues],
  ["runtime/abort.json", runtimeAbort],
  ["runtime/approval.json", runtimeApproval],
  ["runtime/channel.json", runtimeChannel],
  ["runtime/edges.json", runtimeEdges],
  ["runtime/error.json", runtimeError],
  ["runtime/events.json", runtimeEvents],
  ["runtime/health.json", runtimeHealth],
  ["runtime/journal.json", runtimeJournal],
  ["runtime/lifecycle.json", runtimeLifecycle],
  ["runtime/loop.json", runtimeLoop],
  ["runtime/message.json", runtimeMessage],
  ["runtime/model.json", runtimeModel],
  ["runtime/output.json", runtimeOutput],
  ["runtime/prepare.json", runtimePrepare],
  ["runtime/registry.json", runtimeRegistry],
  ["runtime/repair.json", runtimeRepair],
  ["runtime/stop.json", runtimeStop],
  ["runtime/sub_agent.json", runtimeSubAgent],
  ["runtime/tasks.json", runtimeTasks],
  ["runtime/telemetry.json", runtimeTelemetry],
  ["runtime/tools.json", runtimeTools],
  ["runtime/wait.json", runtimeWait],
  ["runtime/workflow.json", runtimeWorkflow],
]);

/**
 * Loads the kit's cases.
 *
 * @example Count the cases of one library
 * ```ts
 * import { loadSuite } from "@parley/conformance";
 * import { assert } from "@std/assert";
 *
 * const ids = [...loadSuite().keys()].filter((id) => id.startsWith("comm/"));
 * assert(ids.includes("comm/canonical-json/sample"));
 * ```
 */
export function loadSuite(): Suite {
  // The case files are validated by tests instead of here, because validation would add half a second to each run.
  return joinSuite(FILES);
}
