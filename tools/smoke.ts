/**
 * A program that uses every package for real. The packaging checks install the packages into an empty project and run
 * it there, on Deno and on Node; it needs no permission.
 *
 * @module
 */

import { AgentCommMessage, generateSigner, signMessage, verifyMessage } from "@parley/comm";
import { loadSuite } from "@parley/conformance";

function check(claim: boolean, what: string): void {
  if (!claim) throw new Error(`The installed packages are broken: ${what}`);
}

async function useComm(): Promise<void> {
  const [ann, bob] = [await generateSigner(), await generateSigner()];
  const fields = {
    sender: ann.did,
    recipient: bob.did,
    protocol: "agent.task.v1",
    messageType: "task_assign",
  };
  const message = new AgentCommMessage({ ...fields, payload: { question: "6 * 7" } });
  const signed = await signMessage(message, ann);
  check((await verifyMessage(signed, { recipient: bob.did })).ok, "a signature does not verify");
  const forged = new AgentCommMessage({ ...signed, payload: { question: "6 * 8" } });
  check(!(await verifyMessage(forged, { recipient: bob.did })).ok, "a forgery verifies");
}

await useComm();
check(loadSuite().size > 0, "the kit has no cases");
console.log("every package works");
