/**
 * An agent run that makes one payment, for tests that kill the process. The parent process stores
 * the journal and makes the payment: this program writes each request as one line of JSON to stdout
 * and reads the response from stdin.
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";
import { runToolLoop, ToolRegistry } from "../../mod.ts";
import { type JournalStore, JsonlJournal, recordSteps } from "../../journal.ts";
import { scriptedModel } from "../../testing.ts";

/** A request to the parent process. */
export type PaymentRequest =
  | { readonly op: "read" }
  | { readonly op: "append"; readonly text: string }
  | { readonly op: "pay" }
  | { readonly op: "end"; readonly result: string };

/** Runs the agent with a store and a payment function. Returns the final text or the error. */
export async function runPayment(store: JournalStore, pay: () => unknown): Promise<string> {
  try {
    const output = await runToolLoop({
      model: scriptedModel([
        ({ messages }) => messages.length > 1 ? { text: "done" } : { calls: [{ toolName: "pay" }] },
        { text: "done" },
      ]),
      registry: new ToolRegistry([
        { name: "pay", inputSchema: { type: "object" }, execute: pay },
      ]),
      runId: "r",
      stepRunner: recordSteps(await JsonlJournal.open(store)),
    }, "Pay the invoice");
    return output.iterations[0]?.toolResults[0]?.code ?? "paid";
  } catch (error) {
    return String(error);
  }
}

if (import.meta.main) {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).getReader();
  const send = async (request: PaymentRequest): Promise<string> => {
    await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    const { value = "null" } = await lines.read();
    return String(JSON.parse(value));
  };
  const store: JournalStore = {
    read: () => send({ op: "read" }),
    append: async (text) => void await send({ op: "append", text }),
  };
  await send({ op: "end", result: await runPayment(store, () => send({ op: "pay" })) });
}
