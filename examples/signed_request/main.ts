/**
 * An agent sends a task to another agent in signed messages. The librarian serves only the clerk,
 * because a valid signature alone does not mean that the sender is known.
 *
 *     deno run examples/signed_request/main.ts
 *
 * @module
 */

import { AgentCommMessage, createChannelPair, generateSigner, signMessage } from "@parley/comm";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { createPeer } from "@parley/comm/requests";
import { ToolLoopAgent } from "@parley/runtime";
import { remoteAgent } from "@parley/runtime/bridge";
import { scriptedModel } from "@parley/runtime/testing";

const QUESTION = "When was Moby-Dick published?";
const protocol = "agent.task.v1";
const [clerk, librarian] = [await generateSigner(), await generateSigner()];
// To connect two processes, replace the channels with `webSocketTransport`.
const [clerkSide, librarianSide] = createChannelPair();

// The librarian accepts each message once, and only from the clerk.
const verifier = createVerifier({
  recipient: librarian.did,
  policy: { require: "reject", senders: { [clerk.did]: "signature" } },
  replayGuard: new ReplayGuard(),
});
await using serving = createPeer({
  signer: librarian,
  verifier,
  transport: librarianSide,
  protocol,
});
serving.serve(async ({ payload, sender }) => {
  console.log(`Verified task from the clerk: ${sender === clerk.did}`);
  await using agent = new ToolLoopAgent({
    name: "librarian",
    model: scriptedModel([{ text: "Moby-Dick was published in 1851." }]),
  });
  const { finalText, stopReason } = await agent.run(JSON.stringify(payload));
  return { status: stopReason, text: finalText };
});

await using peer = createPeer({
  signer: clerk,
  verifier: createVerifier({ recipient: clerk.did, replayGuard: new ReplayGuard() }),
  transport: clerkSide,
  protocol,
});
await using agent = new ToolLoopAgent({
  name: "clerk",
  model: scriptedModel([
    { calls: [{ toolName: "ask_librarian", input: { task: QUESTION } }] },
    { text: "It was published in 1851." },
  ]),
  tools: [remoteAgent({
    name: "ask_librarian",
    description: "Asks the librarian",
    recipient: librarian.did,
    peer,
  })],
});
const { finalText, iterations } = await agent.run(QUESTION);
console.log("The librarian:", iterations[0]?.toolResults[0]?.output);
console.log("The clerk:", finalText);

/** Signs a task with a key, and prints why the librarian does not accept the task. */
async function tryTask(title: string, signer: typeof clerk, changes = {}): Promise<void> {
  const task = { sender: signer.did, recipient: librarian.did, protocol, messageType: "request" };
  const signed = await signMessage(new AgentCommMessage({ ...task, payload: QUESTION }), signer);
  const result = await verifier.verify(new AgentCommMessage({ ...signed, ...changes }));
  console.log(`${title}: ${result.ok ? "accepted" : result.reason}`);
}
await tryTask("Task from another agent", await generateSigner());
await tryTask("Task that was changed in transit", clerk, { payload: "Publish it again" });
