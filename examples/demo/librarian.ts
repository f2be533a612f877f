/**
 * The librarian, an agent that handles signed tasks by running a tool loop with the tools of an MCP
 * server.
 *
 * @module
 */
import {
  type AgentCommMessage,
  CommError,
  createProtocolOffer,
  type MessageSigner,
  negotiateProtocol,
} from "@parley/comm";
import type { McpClient } from "@parley/mcp";
import {
  AgentError,
  type ApprovalDecision,
  type ApprovalRequest,
  type LanguageModel,
  type LoopEvent,
  type ToolCall,
  ToolLoopAgent,
  type ToolResult,
} from "@parley/runtime";
import { textOf } from "./memory.ts";
import {
  DemoError,
  type Line,
  NEGOTIATION,
  readText,
  readTexts,
  receiveVerified,
  shortDid,
} from "./messages.ts";
import type { DemoEvent, Report } from "./report.ts";

/** Task protocols that the librarian supports. */
const SUPPORTED = ["agent.task.v1"];

const SYSTEM_PROMPT =
  "You are a librarian. Answer the question from the documents that your tools can reach, and from nothing else. " +
  "Find the folders that you can access, list and search them, read the files that look relevant, " +
  "and answer in a few sentences, each with the path of the file it comes from.";

/** Options for `runLibrarian`. */
export interface LibrarianOptions {
  readonly signer: MessageSigner;
  readonly transport: Line;
  readonly model: LanguageModel;
  readonly client: McpClient;
  /** The folder that the tools can read, used only to shorten paths in the output. */
  readonly folder: string;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** Handles tasks until the requester closes the connection. */
export async function runLibrarian(options: LibrarianOptions): Promise<void> {
  const { signer, transport, signal } = options;
  for (;;) {
    const received = await receiveVerified(transport, signer.did, signal);
    if (received === undefined) return;
    await transport.send(await answerMessage(received.message, options));
  }
}

/**
 * Returns the signed reply to a message: a result, or an error message if an expected error occurs.
 */
async function answerMessage(
  message: AgentCommMessage,
  options: LibrarianOptions,
): Promise<AgentCommMessage> {
  const { signer } = options;
  try {
    return message.protocol === NEGOTIATION
      ? await acceptOffer(message, options)
      : await signer.reply(message, "task_result", { answer: await workOn(message, options) });
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isExpected(error)) throw error;
    return await signer.reply(message, "error", { message: error.message });
  }
}

async function acceptOffer(
  message: AgentCommMessage,
  { signer, report }: LibrarianOptions,
): Promise<AgentCommMessage> {
  const offer = createProtocolOffer({
    offererDid: message.sender,
    protocols: readTexts(message, "protocols"),
    timestamp: readText(message, "timestamp"),
  });
  const accept = negotiateProtocol(offer, SUPPORTED, signer.did);
  report.show({
    who: "librarian",
    event: "offer_accepted",
    text: `verified the offer of ${
      shortDid(message.sender)
    } and accepts ${accept.selectedProtocol}`,
    data: { protocol: accept.selectedProtocol },
  });
  return await signer.reply(message, "accept", { ...accept });
}

async function workOn(message: AgentCommMessage, options: LibrarianOptions): Promise<string> {
  const { signer, model, client, folder, report, signal } = options;
  report.show({
    who: "librarian",
    event: "task_verified",
    text: `verified the task of ${shortDid(message.sender)} and starts ${model.modelId}`,
    data: { id: message.id, model: model.modelId },
  });
  const agent = new ToolLoopAgent({
    name: "librarian",
    agentDid: signer.did,
    model,
    systemPrompt: SYSTEM_PROMPT,
    maxIterations: 20,
    approvalHandler: approveReadOnly,
    onEvent: loopReporter(report, folder),
  });
  try {
    await agent.registry.registerMcp(client);
    const output = await agent.run(readText(message, "question"), { signal });
    signal.throwIfAborted();
    const { totalUsage, iterations, stopReason, finalText } = output;
    const calls = iterations.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0);
    report.show({
      who: "librarian",
      event: "work_done",
      text: `${iterations.length} model calls, ${calls} tool calls, ` +
        `${totalUsage.estimated ? "about " : ""}${totalUsage.totalTokens} tokens`,
      data: { iterations: iterations.length, toolCalls: calls, usage: totalUsage, stopReason },
    });
    if (finalText === "") throw new DemoError(`Cannot answer: the model ended with ${stopReason}`);
    return finalText;
  } finally {
    await agent.terminate();
  }
}

/**
 * Denies all tools that are not annotated as read-only, because the demo must not change the
 * folder.
 */
function approveReadOnly({ tool }: ApprovalRequest): ApprovalDecision {
  return tool.annotations?.readOnly === true
    ? { decision: "approve" }
    : { decision: "deny", reason: "This library is read-only" };
}

/**
 * Returns a listener that reports the events of the tool loop, including the result of each tool
 * call.
 */
function loopReporter(report: Report, folder: string): (event: LoopEvent) => void {
  const calls = new Map<string, ToolCall>();
  return (event) => {
    switch (event.type) {
      case "model_started":
        return report.wait(`${event.modelId} is thinking`);
      case "model_retry":
        return report.show({
          who: "librarian",
          event: "model_retry",
          text: `retries the model call: ${event.reason}`,
          data: { attempt: event.attempt },
        });
      case "model_finished":
        for (const part of event.message.content) {
          if (part.type === "tool-call") calls.set(part.toolCallId, part);
        }
        return;
      case "tool_started":
        return report.wait(`${event.toolCall.toolName} is running`);
      case "tool_finished": {
        const call = calls.get(event.toolResult.toolCallId);
        calls.delete(event.toolResult.toolCallId);
        return report.show(describeResult(event.toolResult, call, folder));
      }
      default:
        return;
    }
  };
}

function describeResult(result: ToolResult, call: ToolCall | undefined, folder: string): DemoEvent {
  const text = textOf(result);
  const outcome = result.isError ? text.slice(0, 200) : `${text.length} characters`;
  const input = JSON.stringify(call?.input ?? {}).replaceAll(folder, ".");
  return {
    who: "server",
    event: "tool_result",
    text: `${result.toolName} ${input} → ${outcome}`,
    ok: !result.isError,
    durationMs: result.durationMs,
    data: { tool: result.toolName, input: call?.input, characters: text.length },
  };
}

function isExpected(error: unknown): error is Error {
  return error instanceof DemoError || error instanceof AgentError || error instanceof CommError;
}
