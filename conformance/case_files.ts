// deno-fmt-ignore-file
/**
 * The kit's case files. The task `cases` writes this module.
 *
 * The case files are imported statically, which makes them part of the published package on all
 * runtimes.
 *
 * @module
 */

import commA2a from "./cases/comm/a2a.json" with { type: "json" };
import commAbort from "./cases/comm/abort.json" with { type: "json" };
import commCanonicalJson from "./cases/comm/canonical_json.json" with { type: "json" };
import commChannel from "./cases/comm/channel.json" with { type: "json" };
import commChannelLimits from "./cases/comm/channel_limits.json" with { type: "json" };
import commConnection from "./cases/comm/connection.json" with { type: "json" };
import commDidDocuments from "./cases/comm/did_documents.json" with { type: "json" };
import commDidKeys from "./cases/comm/did_keys.json" with { type: "json" };
import commDidMethods from "./cases/comm/did_methods.json" with { type: "json" };
import commDidResolver from "./cases/comm/did_resolver.json" with { type: "json" };
import commErrors from "./cases/comm/errors.json" with { type: "json" };
import commJsonErrors from "./cases/comm/json_errors.json" with { type: "json" };
import commJsonLimits from "./cases/comm/json_limits.json" with { type: "json" };
import commJsonNesting from "./cases/comm/json_nesting.json" with { type: "json" };
import commJsonSignatures from "./cases/comm/json_signatures.json" with { type: "json" };
import commJsonText from "./cases/comm/json_text.json" with { type: "json" };
import commKeys from "./cases/comm/keys.json" with { type: "json" };
import commMessages from "./cases/comm/messages.json" with { type: "json" };
import commNegotiation from "./cases/comm/negotiation.json" with { type: "json" };
import commNegotiationSigned from "./cases/comm/negotiation_signed.json" with { type: "json" };
import commPolicy from "./cases/comm/policy.json" with { type: "json" };
import commProof from "./cases/comm/proof.json" with { type: "json" };
import commReplay from "./cases/comm/replay.json" with { type: "json" };
import commReply from "./cases/comm/reply.json" with { type: "json" };
import commRequests from "./cases/comm/requests.json" with { type: "json" };
import commRequestsLimits from "./cases/comm/requests_limits.json" with { type: "json" };
import commSignature from "./cases/comm/signature.json" with { type: "json" };
import commTime from "./cases/comm/time.json" with { type: "json" };
import commVerification from "./cases/comm/verification.json" with { type: "json" };
import mcpClientApps from "./cases/mcp/client/apps.json" with { type: "json" };
import mcpClientAuthAuthorization from "./cases/mcp/client/auth_authorization.json" with { type: "json" };
import mcpClientAuthTokens from "./cases/mcp/client/auth_tokens.json" with { type: "json" };
import mcpClientCalls from "./cases/mcp/client/calls.json" with { type: "json" };
import mcpClientClient from "./cases/mcp/client/client.json" with { type: "json" };
import mcpClientEras from "./cases/mcp/client/eras.json" with { type: "json" };
import mcpClientErrors from "./cases/mcp/client/errors.json" with { type: "json" };
import mcpClientHandlers from "./cases/mcp/client/handlers.json" with { type: "json" };
import mcpClientHttp from "./cases/mcp/client/http.json" with { type: "json" };
import mcpClientHttpBodies from "./cases/mcp/client/http_bodies.json" with { type: "json" };
import mcpClientHttpHeaders from "./cases/mcp/client/http_headers.json" with { type: "json" };
import mcpClientHttpResponses from "./cases/mcp/client/http_responses.json" with { type: "json" };
import mcpClientHttpSse from "./cases/mcp/client/http_sse.json" with { type: "json" };
import mcpClientHttpStreams from "./cases/mcp/client/http_streams.json" with { type: "json" };
import mcpClientInputRequests from "./cases/mcp/client/input_requests.json" with { type: "json" };
import mcpClientInvariants from "./cases/mcp/client/invariants.json" with { type: "json" };
import mcpClientJsonRpc from "./cases/mcp/client/json_rpc.json" with { type: "json" };
import mcpClientLifecycle from "./cases/mcp/client/lifecycle.json" with { type: "json" };
import mcpClientLogging from "./cases/mcp/client/logging.json" with { type: "json" };
import mcpClientOptions from "./cases/mcp/client/options.json" with { type: "json" };
import mcpClientPagination from "./cases/mcp/client/pagination.json" with { type: "json" };
import mcpClientProcesses from "./cases/mcp/client/processes.json" with { type: "json" };
import mcpClientResponses from "./cases/mcp/client/responses.json" with { type: "json" };
import mcpClientSkills from "./cases/mcp/client/skills.json" with { type: "json" };
import mcpClientSkillsLists from "./cases/mcp/client/skills_lists.json" with { type: "json" };
import mcpClientStateless from "./cases/mcp/client/stateless.json" with { type: "json" };
import mcpClientStdio from "./cases/mcp/client/stdio.json" with { type: "json" };
import mcpClientSubscriptions from "./cases/mcp/client/subscriptions.json" with { type: "json" };
import mcpClientTasks from "./cases/mcp/client/tasks.json" with { type: "json" };
import mcpClientTasksResults from "./cases/mcp/client/tasks_results.json" with { type: "json" };
import mcpClientTolerance from "./cases/mcp/client/tolerance.json" with { type: "json" };
import mcpLibraryApps from "./cases/mcp/library/apps.json" with { type: "json" };
import mcpLibraryAuthAuthorization from "./cases/mcp/library/auth_authorization.json" with { type: "json" };
import mcpLibraryAuthChallenges from "./cases/mcp/library/auth_challenges.json" with { type: "json" };
import mcpLibraryAuthClient from "./cases/mcp/library/auth_client.json" with { type: "json" };
import mcpLibraryAuthMetadata from "./cases/mcp/library/auth_metadata.json" with { type: "json" };
import mcpLibraryAuthProtection from "./cases/mcp/library/auth_protection.json" with { type: "json" };
import mcpLibraryAuthRedirects from "./cases/mcp/library/auth_redirects.json" with { type: "json" };
import mcpLibraryAuthRefresh from "./cases/mcp/library/auth_refresh.json" with { type: "json" };
import mcpLibraryAuthRegistration from "./cases/mcp/library/auth_registration.json" with { type: "json" };
import mcpLibraryAuthScopes from "./cases/mcp/library/auth_scopes.json" with { type: "json" };
import mcpLibraryAuthSources from "./cases/mcp/library/auth_sources.json" with { type: "json" };
import mcpLibraryAuthTokens from "./cases/mcp/library/auth_tokens.json" with { type: "json" };
import mcpLibraryChangeNotifications from "./cases/mcp/library/change_notifications.json" with { type: "json" };
import mcpLibraryErrors from "./cases/mcp/library/errors.json" with { type: "json" };
import mcpLibraryExtensions from "./cases/mcp/library/extensions.json" with { type: "json" };
import mcpLibraryFrameworks from "./cases/mcp/library/frameworks.json" with { type: "json" };
import mcpLibraryGateways from "./cases/mcp/library/gateways.json" with { type: "json" };
import mcpLibraryHandlers from "./cases/mcp/library/handlers.json" with { type: "json" };
import mcpLibraryHttp from "./cases/mcp/library/http.json" with { type: "json" };
import mcpLibraryHttpOptions from "./cases/mcp/library/http_options.json" with { type: "json" };
import mcpLibraryHttpSessions from "./cases/mcp/library/http_sessions.json" with { type: "json" };
import mcpLibraryHttpStateless from "./cases/mcp/library/http_stateless.json" with { type: "json" };
import mcpLibraryInputRequests from "./cases/mcp/library/input_requests.json" with { type: "json" };
import mcpLibraryJsonRpc from "./cases/mcp/library/json_rpc.json" with { type: "json" };
import mcpLibraryLifecycle from "./cases/mcp/library/lifecycle.json" with { type: "json" };
import mcpLibraryMessages from "./cases/mcp/library/messages.json" with { type: "json" };
import mcpLibraryOpening from "./cases/mcp/library/opening.json" with { type: "json" };
import mcpLibraryOptions from "./cases/mcp/library/options.json" with { type: "json" };
import mcpLibraryPagination from "./cases/mcp/library/pagination.json" with { type: "json" };
import mcpLibraryPkce from "./cases/mcp/library/pkce.json" with { type: "json" };
import mcpLibraryProcesses from "./cases/mcp/library/processes.json" with { type: "json" };
import mcpLibraryProgress from "./cases/mcp/library/progress.json" with { type: "json" };
import mcpLibraryRequestState from "./cases/mcp/library/request_state.json" with { type: "json" };
import mcpLibraryResourcesPrompts from "./cases/mcp/library/resources_prompts.json" with { type: "json" };
import mcpLibraryResults from "./cases/mcp/library/results.json" with { type: "json" };
import mcpLibraryServing from "./cases/mcp/library/serving.json" with { type: "json" };
import mcpLibrarySessionStorage from "./cases/mcp/library/session_storage.json" with { type: "json" };
import mcpLibrarySessions from "./cases/mcp/library/sessions.json" with { type: "json" };
import mcpLibrarySkills from "./cases/mcp/library/skills.json" with { type: "json" };
import mcpLibrarySkillsLists from "./cases/mcp/library/skills_lists.json" with { type: "json" };
import mcpLibraryStateless from "./cases/mcp/library/stateless.json" with { type: "json" };
import mcpLibraryStdio from "./cases/mcp/library/stdio.json" with { type: "json" };
import mcpLibraryTasks from "./cases/mcp/library/tasks.json" with { type: "json" };
import mcpLibraryTasksChanges from "./cases/mcp/library/tasks_changes.json" with { type: "json" };
import mcpLibraryTasksInput from "./cases/mcp/library/tasks_input.json" with { type: "json" };
import mcpLibraryTasksLimits from "./cases/mcp/library/tasks_limits.json" with { type: "json" };
import mcpLibraryTasksStores from "./cases/mcp/library/tasks_stores.json" with { type: "json" };
import mcpLibraryTasksUsers from "./cases/mcp/library/tasks_users.json" with { type: "json" };
import mcpLibraryTools from "./cases/mcp/library/tools.json" with { type: "json" };
import mcpLibraryUriTemplates from "./cases/mcp/library/uri_templates.json" with { type: "json" };
import mcpLibraryUsers from "./cases/mcp/library/users.json" with { type: "json" };
import mcpServerApps from "./cases/mcp/server/apps.json" with { type: "json" };
import mcpServerChangeNotifications from "./cases/mcp/server/change_notifications.json" with { type: "json" };
import mcpServerCompletion from "./cases/mcp/server/completion.json" with { type: "json" };
import mcpServerHttp from "./cases/mcp/server/http.json" with { type: "json" };
import mcpServerHttpSessions from "./cases/mcp/server/http_sessions.json" with { type: "json" };
import mcpServerHttpStateless from "./cases/mcp/server/http_stateless.json" with { type: "json" };
import mcpServerInputRequests from "./cases/mcp/server/input_requests.json" with { type: "json" };
import mcpServerInvariants from "./cases/mcp/server/invariants.json" with { type: "json" };
import mcpServerJsonRpc from "./cases/mcp/server/json_rpc.json" with { type: "json" };
import mcpServerLifecycle from "./cases/mcp/server/lifecycle.json" with { type: "json" };
import mcpServerLogging from "./cases/mcp/server/logging.json" with { type: "json" };
import mcpServerMessages from "./cases/mcp/server/messages.json" with { type: "json" };
import mcpServerOpening from "./cases/mcp/server/opening.json" with { type: "json" };
import mcpServerPagination from "./cases/mcp/server/pagination.json" with { type: "json" };
import mcpServerProgress from "./cases/mcp/server/progress.json" with { type: "json" };
import mcpServerPrompts from "./cases/mcp/server/prompts.json" with { type: "json" };
import mcpServerResources from "./cases/mcp/server/resources.json" with { type: "json" };
import mcpServerSkills from "./cases/mcp/server/skills.json" with { type: "json" };
import mcpServerSkillsLists from "./cases/mcp/server/skills_lists.json" with { type: "json" };
import mcpServerStateless from "./cases/mcp/server/stateless.json" with { type: "json" };
import mcpServerStdio from "./cases/mcp/server/stdio.json" with { type: "json" };
import mcpServerTasks from "./cases/mcp/server/tasks.json" with { type: "json" };
import mcpServerTasksChanges from "./cases/mcp/server/tasks_changes.json" with { type: "json" };
import mcpServerTasksInput from "./cases/mcp/server/tasks_input.json" with { type: "json" };
import mcpServerTasksLimits from "./cases/mcp/server/tasks_limits.json" with { type: "json" };
import mcpServerTasksUsers from "./cases/mcp/server/tasks_users.json" with { type: "json" };
import mcpServerTools from "./cases/mcp/server/tools.json" with { type: "json" };
import modelAnthropic from "./cases/model/anthropic.json" with { type: "json" };
import modelGemini from "./cases/model/gemini.json" with { type: "json" };
import modelOpenaiChat from "./cases/model/openai_chat.json" with { type: "json" };
import modelOpenaiResponses from "./cases/model/openai_responses.json" with { type: "json" };
import runtimeA2a from "./cases/runtime/a2a.json" with { type: "json" };
import runtimeA2aClient from "./cases/runtime/a2a_client.json" with { type: "json" };
import runtimeAbort from "./cases/runtime/abort.json" with { type: "json" };
import runtimeApproval from "./cases/runtime/approval.json" with { type: "json" };
import runtimeBudget from "./cases/runtime/budget.json" with { type: "json" };
import runtimeChannel from "./cases/runtime/channel.json" with { type: "json" };
import runtimeConversations from "./cases/runtime/conversations.json" with { type: "json" };
import runtimeCoreAnthropic from "./cases/runtime/core_anthropic.json" with { type: "json" };
import runtimeCoreGemini from "./cases/runtime/core_gemini.json" with { type: "json" };
import runtimeCoreOpenaiChat from "./cases/runtime/core_openai_chat.json" with { type: "json" };
import runtimeCoreOpenaiResponses from "./cases/runtime/core_openai_responses.json" with { type: "json" };
import runtimeCoreStreams from "./cases/runtime/core_streams.json" with { type: "json" };
import runtimeErrors from "./cases/runtime/errors.json" with { type: "json" };
import runtimeEvents from "./cases/runtime/events.json" with { type: "json" };
import runtimeFallback from "./cases/runtime/fallback.json" with { type: "json" };
import runtimeHealth from "./cases/runtime/health.json" with { type: "json" };
import runtimeJournal from "./cases/runtime/journal.json" with { type: "json" };
import runtimeJournalCost from "./cases/runtime/journal_cost.json" with { type: "json" };
import runtimeLifecycle from "./cases/runtime/lifecycle.json" with { type: "json" };
import runtimeLoop from "./cases/runtime/loop.json" with { type: "json" };
import runtimeMessage from "./cases/runtime/message.json" with { type: "json" };
import runtimeModel from "./cases/runtime/model.json" with { type: "json" };
import runtimeOpenaiEndpoint from "./cases/runtime/openai_endpoint.json" with { type: "json" };
import runtimeOutput from "./cases/runtime/output.json" with { type: "json" };
import runtimePreparation from "./cases/runtime/preparation.json" with { type: "json" };
import runtimeRegistry from "./cases/runtime/registry.json" with { type: "json" };
import runtimeRemoteTasks from "./cases/runtime/remote_tasks.json" with { type: "json" };
import runtimeSchemaKeywords from "./cases/runtime/schema_keywords.json" with { type: "json" };
import runtimeSchemas from "./cases/runtime/schemas.json" with { type: "json" };
import runtimeServedAgents from "./cases/runtime/served_agents.json" with { type: "json" };
import runtimeStop from "./cases/runtime/stop.json" with { type: "json" };
import runtimeStreams from "./cases/runtime/streams.json" with { type: "json" };
import runtimeSubAgent from "./cases/runtime/sub_agent.json" with { type: "json" };
import runtimeTelemetry from "./cases/runtime/telemetry.json" with { type: "json" };
import runtimeToolOutputs from "./cases/runtime/tool_outputs.json" with { type: "json" };
import runtimeTools from "./cases/runtime/tools.json" with { type: "json" };
import runtimeUsage from "./cases/runtime/usage.json" with { type: "json" };
import runtimeWaiting from "./cases/runtime/waiting.json" with { type: "json" };
import runtimeWorkflow from "./cases/runtime/workflow.json" with { type: "json" };

const FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["cases/comm/a2a.json", commA2a],
  ["cases/comm/abort.json", commAbort],
  ["cases/comm/canonical_json.json", commCanonicalJson],
  ["cases/comm/channel.json", commChannel],
  ["cases/comm/channel_limits.json", commChannelLimits],
  ["cases/comm/connection.json", commConnection],
  ["cases/comm/did_documents.json", commDidDocuments],
  ["cases/comm/did_keys.json", commDidKeys],
  ["cases/comm/did_methods.json", commDidMethods],
  ["cases/comm/did_resolver.json", commDidResolver],
  ["cases/comm/errors.json", commErrors],
  ["cases/comm/json_errors.json", commJsonErrors],
  ["cases/comm/json_limits.json", commJsonLimits],
  ["cases/comm/json_nesting.json", commJsonNesting],
  ["cases/comm/json_signatures.json", commJsonSignatures],
  ["cases/comm/json_text.json", commJsonText],
  ["cases/comm/keys.json", commKeys],
  ["cases/comm/messages.json", commMessages],
  ["cases/comm/negotiation.json", commNegotiation],
  ["cases/comm/negotiation_signed.json", commNegotiationSigned],
  ["cases/comm/policy.json", commPolicy],
  ["cases/comm/proof.json", commProof],
  ["cases/comm/replay.json", commReplay],
  ["cases/comm/reply.json", commReply],
  ["cases/comm/requests.json", commRequests],
  ["cases/comm/requests_limits.json", commRequestsLimits],
  ["cases/comm/signature.json", commSignature],
  ["cases/comm/time.json", commTime],
  ["cases/comm/verification.json", commVerification],
  ["cases/mcp/client/apps.json", mcpClientApps],
  ["cases/mcp/client/auth_authorization.json", mcpClientAuthAuthorization],
  ["cases/mcp/client/auth_tokens.json", mcpClientAuthTokens],
  ["cases/mcp/client/calls.json", mcpClientCalls],
  ["cases/mcp/client/client.json", mcpClientClient],
  ["cases/mcp/client/eras.json", mcpClientEras],
  ["cases/mcp/client/errors.json", mcpClientErrors],
  ["cases/mcp/client/handlers.json", mcpClientHandlers],
  ["cases/mcp/client/http.json", mcpClientHttp],
  ["cases/mcp/client/http_bodies.json", mcpClientHttpBodies],
  ["cases/mcp/client/http_headers.json", mcpClientHttpHeaders],
  ["cases/mcp/client/http_responses.json", mcpClientHttpResponses],
  ["cases/mcp/client/http_sse.json", mcpClientHttpSse],
  ["cases/mcp/client/http_streams.json", mcpClientHttpStreams],
  ["cases/mcp/client/input_requests.json", mcpClientInputRequests],
  ["cases/mcp/client/invariants.json", mcpClientInvariants],
  ["cases/mcp/client/json_rpc.json", mcpClientJsonRpc],
  ["cases/mcp/client/lifecycle.json", mcpClientLifecycle],
  ["cases/mcp/client/logging.json", mcpClientLogging],
  ["cases/mcp/client/options.json", mcpClientOptions],
  ["cases/mcp/client/pagination.json", mcpClientPagination],
  ["cases/mcp/client/processes.json", mcpClientProcesses],
  ["cases/mcp/client/responses.json", mcpClientResponses],
  ["cases/mcp/client/skills.json", mcpClientSkills],
  ["cases/mcp/client/skills_lists.json", mcpClientSkillsLists],
  ["cases/mcp/client/stateless.json", mcpClientStateless],
  ["cases/mcp/client/stdio.json", mcpClientStdio],
  ["cases/mcp/client/subscriptions.json", mcpClientSubscriptions],
  ["cases/mcp/client/tasks.json", mcpClientTasks],
  ["cases/mcp/client/tasks_results.json", mcpClientTasksResults],
  ["cases/mcp/client/tolerance.json", mcpClientTolerance],
  ["cases/mcp/library/apps.json", mcpLibraryApps],
  ["cases/mcp/library/auth_authorization.json", mcpLibraryAuthAuthorization],
  ["cases/mcp/library/auth_challenges.json", mcpLibraryAuthChallenges],
  ["cases/mcp/library/auth_client.json", mcpLibraryAuthClient],
  ["cases/mcp/library/auth_metadata.json", mcpLibraryAuthMetadata],
  ["cases/mcp/library/auth_protection.json", mcpLibraryAuthProtection],
  ["cases/mcp/library/auth_redirects.json", mcpLibraryAuthRedirects],
  ["cases/mcp/library/auth_refresh.json", mcpLibraryAuthRefresh],
  ["cases/mcp/library/auth_registration.json", mcpLibraryAuthRegistration],
  ["cases/mcp/library/auth_scopes.json", mcpLibraryAuthScopes],
  ["cases/mcp/library/auth_sources.json", mcpLibraryAuthSources],
  ["cases/mcp/library/auth_tokens.json", mcpLibraryAuthTokens],
  ["cases/mcp/library/change_notifications.json", mcpLibraryChangeNotifications],
  ["cases/mcp/library/errors.json", mcpLibraryErrors],
  ["cases/mcp/library/extensions.json", mcpLibraryExtensions],
  ["cases/mcp/library/frameworks.json", mcpLibraryFrameworks],
  ["cases/mcp/library/gateways.json", mcpLibraryGateways],
  ["cases/mcp/library/handlers.json", mcpLibraryHandlers],
  ["cases/mcp/library/http.json", mcpLibraryHttp],
  ["cases/mcp/library/http_options.json", mcpLibraryHttpOptions],
  ["cases/mcp/library/http_sessions.json", mcpLibraryHttpSessions],
  ["cases/mcp/library/http_stateless.json", mcpLibraryHttpStateless],
  ["cases/mcp/library/input_requests.json", mcpLibraryInputRequests],
  ["cases/mcp/library/json_rpc.json", mcpLibraryJsonRpc],
  ["cases/mcp/library/lifecycle.json", mcpLibraryLifecycle],
  ["cases/mcp/library/messages.json", mcpLibraryMessages],
  ["cases/mcp/library/opening.json", mcpLibraryOpening],
  ["cases/mcp/library/options.json", mcpLibraryOptions],
  ["cases/mcp/library/pagination.json", mcpLibraryPagination],
  ["cases/mcp/library/pkce.json", mcpLibraryPkce],
  ["cases/mcp/library/processes.json", mcpLibraryProcesses],
  ["cases/mcp/library/progress.json", mcpLibraryProgress],
  ["cases/mcp/library/request_state.json", mcpLibraryRequestState],
  ["cases/mcp/library/resources_prompts.json", mcpLibraryResourcesPrompts],
  ["cases/mcp/library/results.json", mcpLibraryResults],
  ["cases/mcp/library/serving.json", mcpLibraryServing],
  ["cases/mcp/library/session_storage.json", mcpLibrarySessionStorage],
  ["cases/mcp/library/sessions.json", mcpLibrarySessions],
  ["cases/mcp/library/skills.json", mcpLibrarySkills],
  ["cases/mcp/library/skills_lists.json", mcpLibrarySkillsLists],
  ["cases/mcp/library/stateless.json", mcpLibraryStateless],
  ["cases/mcp/library/stdio.json", mcpLibraryStdio],
  ["cases/mcp/library/tasks.json", mcpLibraryTasks],
  ["cases/mcp/library/tasks_changes.json", mcpLibraryTasksChanges],
  ["cases/mcp/library/tasks_input.json", mcpLibraryTasksInput],
  ["cases/mcp/library/tasks_limits.json", mcpLibraryTasksLimits],
  ["cases/mcp/library/tasks_stores.json", mcpLibraryTasksStores],
  ["cases/mcp/library/tasks_users.json", mcpLibraryTasksUsers],
  ["cases/mcp/library/tools.json", mcpLibraryTools],
  ["cases/mcp/library/uri_templates.json", mcpLibraryUriTemplates],
  ["cases/mcp/library/users.json", mcpLibraryUsers],
  ["cases/mcp/server/apps.json", mcpServerApps],
  ["cases/mcp/server/change_notifications.json", mcpServerChangeNotifications],
  ["cases/mcp/server/completion.json", mcpServerCompletion],
  ["cases/mcp/server/http.json", mcpServerHttp],
  ["cases/mcp/server/http_sessions.json", mcpServerHttpSessions],
  ["cases/mcp/server/http_stateless.json", mcpServerHttpStateless],
  ["cases/mcp/server/input_requests.json", mcpServerInputRequests],
  ["cases/mcp/server/invariants.json", mcpServerInvariants],
  ["cases/mcp/server/json_rpc.json", mcpServerJsonRpc],
  ["cases/mcp/server/lifecycle.json", mcpServerLifecycle],
  ["cases/mcp/server/logging.json", mcpServerLogging],
  ["cases/mcp/server/messages.json", mcpServerMessages],
  ["cases/mcp/server/opening.json", mcpServerOpening],
  ["cases/mcp/server/pagination.json", mcpServerPagination],
  ["cases/mcp/server/progress.json", mcpServerProgress],
  ["cases/mcp/server/prompts.json", mcpServerPrompts],
  ["cases/mcp/server/resources.json", mcpServerResources],
  ["cases/mcp/server/skills.json", mcpServerSkills],
  ["cases/mcp/server/skills_lists.json", mcpServerSkillsLists],
  ["cases/mcp/server/stateless.json", mcpServerStateless],
  ["cases/mcp/server/stdio.json", mcpServerStdio],
  ["cases/mcp/server/tasks.json", mcpServerTasks],
  ["cases/mcp/server/tasks_changes.json", mcpServerTasksChanges],
  ["cases/mcp/server/tasks_input.json", mcpServerTasksInput],
  ["cases/mcp/server/tasks_limits.json", mcpServerTasksLimits],
  ["cases/mcp/server/tasks_users.json", mcpServerTasksUsers],
  ["cases/mcp/server/tools.json", mcpServerTools],
  ["cases/model/anthropic.json", modelAnthropic],
  ["cases/model/gemini.json", modelGemini],
  ["cases/model/openai_chat.json", modelOpenaiChat],
  ["cases/model/openai_responses.json", modelOpenaiResponses],
  ["cases/runtime/a2a.json", runtimeA2a],
  ["cases/runtime/a2a_client.json", runtimeA2aClient],
  ["cases/runtime/abort.json", runtimeAbort],
  ["cases/runtime/approval.json", runtimeApproval],
  ["cases/runtime/budget.json", runtimeBudget],
  ["cases/runtime/channel.json", runtimeChannel],
  ["cases/runtime/conversations.json", runtimeConversations],
  ["cases/runtime/core_anthropic.json", runtimeCoreAnthropic],
  ["cases/runtime/core_gemini.json", runtimeCoreGemini],
  ["cases/runtime/core_openai_chat.json", runtimeCoreOpenaiChat],
  ["cases/runtime/core_openai_responses.json", runtimeCoreOpenaiResponses],
  ["cases/runtime/core_streams.json", runtimeCoreStreams],
  ["cases/runtime/errors.json", runtimeErrors],
  ["cases/runtime/events.json", runtimeEvents],
  ["cases/runtime/fallback.json", runtimeFallback],
  ["cases/runtime/health.json", runtimeHealth],
  ["cases/runtime/journal.json", runtimeJournal],
  ["cases/runtime/journal_cost.json", runtimeJournalCost],
  ["cases/runtime/lifecycle.json", runtimeLifecycle],
  ["cases/runtime/loop.json", runtimeLoop],
  ["cases/runtime/message.json", runtimeMessage],
  ["cases/runtime/model.json", runtimeModel],
  ["cases/runtime/openai_endpoint.json", runtimeOpenaiEndpoint],
  ["cases/runtime/output.json", runtimeOutput],
  ["cases/runtime/preparation.json", runtimePreparation],
  ["cases/runtime/registry.json", runtimeRegistry],
  ["cases/runtime/remote_tasks.json", runtimeRemoteTasks],
  ["cases/runtime/schema_keywords.json", runtimeSchemaKeywords],
  ["cases/runtime/schemas.json", runtimeSchemas],
  ["cases/runtime/served_agents.json", runtimeServedAgents],
  ["cases/runtime/stop.json", runtimeStop],
  ["cases/runtime/streams.json", runtimeStreams],
  ["cases/runtime/sub_agent.json", runtimeSubAgent],
  ["cases/runtime/telemetry.json", runtimeTelemetry],
  ["cases/runtime/tool_outputs.json", runtimeToolOutputs],
  ["cases/runtime/tools.json", runtimeTools],
  ["cases/runtime/usage.json", runtimeUsage],
  ["cases/runtime/waiting.json", runtimeWaiting],
  ["cases/runtime/workflow.json", runtimeWorkflow],
]);

/** Returns the parsed case files, keyed by their path in the package. */
export function readCaseFiles(): ReadonlyMap<string, unknown> {
  return FILES;
}
