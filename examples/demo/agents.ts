/**
 * The two agents of the demo: the clerk sends signed questions to the librarian, and the librarian
 * reads files.
 *
 * @module
 */

import * as comm from "@parley/comm";
import { createVerifier, type MessageVerifier, ReplayGuard } from "@parley/comm/policy";
import { createPeer, type Peer } from "@parley/comm/requests";
import type { McpClient } from "@parley/mcp";
import * as runtime from "@parley/runtime";
import { agentService, remoteAgent } from "@parley/runtime/bridge";
import { memoryRuns, openRuns, type RunContext } from "@parley/runtime/runs";
import { serveRuns, toServedContext } from "@parley/runtime/serve";

/** A demo failure whose message is printed without a stack trace. */
export class DemoError extends Error {}

/**
 * A demo event. The `reason` of a `message` event is the reason why the receiver rejected the
 * message.
 */
export type DemoEvent =
  | runtime.LoopEvent
  | { type: "server"; at: number; name: string; folder: string }
  | { type: "agent"; at: number; name: string; did: string }
  | { type: "task"; at: number; run: string; sender: string; taskId: unknown }
  | {
    type: "message";
    at: number;
    receiver: string;
    verified: boolean;
    reason?: string;
    message: comm.AgentCommMessage;
  }
  | { type: "answer"; at: number; text: string };

/**
 * Options for {@linkcode askLibrarian}: `approve` decides on tool calls, and `tamper` changes
 * responses.
 */
export interface DemoOptions {
  readonly model: runtime.LanguageModel;
  readonly client: McpClient;
  readonly approve: runtime.ApprovalHandler | undefined;
  readonly tamper: boolean;
  readonly signal: AbortSignal;
  readonly emit: (event: DemoEvent) => void;
  readonly onError: (error: unknown) => void;
}

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const saveAnswer = runtime.defineTool({
  name: "save_answer",
  description: "Saves text in answer.md",
  inputSchema: runtime.jsonSchema<{ text: string }>(TEXT),
  execute: ({ text }) => Deno.writeTextFile("answer.md", `${text}\n`).then(() => "Saved"),
});

/** Has the clerk ask the librarian a question, and returns the answer. */
export async function askLibrarian(question: string, options: DemoOptions): Promise<string> {
  const { approve, client, emit, model, onError, tamper } = options;
  const [clerk, librarian] = await Promise.all([comm.generateSigner(), comm.generateSigner()]);
  const [clerkSide, librarianSide] = comm.createChannelPair();
  if (tamper) changeResponses(librarianSide);
  const failed = new AbortController();
  const clerkPeer = openPeer("clerk", clerk, clerkSide);
  const librarianPeer = openPeer("librarian", librarian, librarianSide);
  const make = (run: RunContext): runtime.ToolLoopAgent => {
    const { caller, metadata: { taskId } } = toServedContext(run);
    emit({ type: "task", at: Date.now(), run: run.runId, sender: caller?.subject ?? "", taskId });
    return new runtime.ToolLoopAgent({
      name: "librarian",
      agentDid: librarian.did,
      model,
      systemPrompt: "Answer briefly from the documents that your tools read, and name the files.",
      approvalHandler: ({ tool }) => tool.annotations?.readOnly === true,
      onInitialize: async ({ registry }) => {
        await registry.registerMcp(client, { trustHints: true });
      },
      onEvent: emit,
      onError,
    });
  };
  const runs = openRuns(memoryRuns(), { librarian: { version: "1", make } }, {
    onError: (error) => failed.abort(error),
  });
  const working = runs.work();
  librarianPeer.serve(agentService(serveRuns(runs, { agent: "librarian" })));
  const ask = remoteAgent({
    name: "ask_librarian",
    description: "Answers questions about a folder of documents",
    recipient: librarian.did,
    peer: clerkPeer,
  });
  const agent = new runtime.ToolLoopAgent({
    name: "clerk",
    agentDid: clerk.did,
    model,
    systemPrompt: "Ask the librarian, and return the answer with its sources.",
    tools: [ask],
    approvalHandler: (call) => call.toolCall.toolName === ask.name || (approve?.(call) ?? false),
    onAbort: "throw",
    onEvent: emit,
    onError,
  });
  if (approve) agent.registry.register(saveAnswer);
  try {
    const signal = AbortSignal.any([options.signal, failed.signal]);
    return (await agent.run(question, { signal })).finalText;
  } finally {
    await Promise.all([agent.terminate(), clerkPeer.close(), librarianPeer.close(), runs.close()]);
    await working;
  }

  /**
   * Opens a peer that emits an event with the result of each verification. A message that fails
   * verification ends the demo.
   */
  function openPeer(receiver: string, signer: comm.Signer, transport: comm.MessageTransport): Peer {
    emit({ type: "agent", at: Date.now(), name: receiver, did: signer.did });
    const inner = createVerifier({ recipient: signer.did, replayGuard: new ReplayGuard() });
    const report = <R extends comm.VerifyResult>(message: comm.AgentCommMessage, result: R): R => {
      const reason = result.ok ? {} : { reason: result.error.message };
      emit({ type: "message", at: Date.now(), receiver, verified: result.ok, ...reason, message });
      if (!result.ok) failed.abort(new DemoError(result.error.message));
      return result;
    };
    const verifier: MessageVerifier = {
      ...inner,
      verify: async (sent, more) => report(sent, await inner.verify(sent, more)),
      begin: async (sent, more) => report(sent, await inner.begin(sent, more)),
    };
    const protocol = "agent.task.v1";
    // The errors of rejected messages have already been passed to `report`.
    return createPeer({ signer, transport, verifier, protocol, onError: () => {} });
  }
}

/** Changes responses as an intermediary without the librarian's key could. */
function changeResponses(transport: comm.MessageTransport): void {
  const send = transport.send.bind(transport);
  const payload = { status: "model_stop", text: "Trust me." };
  transport.send = (message, options) => {
    if (message.messageType !== "response") return send(message, options);
    return send(new comm.AgentCommMessage({ ...message, payload }), options);
  };
}
