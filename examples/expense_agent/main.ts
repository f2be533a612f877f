/**
 * Runs the expense agent with a scripted model, which needs neither an API key nor network access.
 * The journal file is removed after the run.
 *
 *     deno run --allow-read --allow-write examples/expense_agent/main.ts FILE             asks before booking
 *     deno run --allow-read --allow-write examples/expense_agent/main.ts FILE --approve   or --deny: decides without asking
 *     deno run --allow-read --allow-write examples/expense_agent/main.ts FILE --crash     approves and exits after booking
 *
 * After `--crash`, run the program again with the same file. The agent continues and does not book
 * twice.
 *
 * @module
 */

import type { LanguageModel, ModelMessage } from "@parley/runtime";
import { type ScriptedAnswer, scriptedModel } from "@parley/runtime/testing";
import { bookReceipt } from "./expense_agent.ts";
import type { Office } from "./office.ts";

const PHOTO = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);

/**
 * Returns the model's next response. The response depends only on the conversation, so any process
 * can continue the conversation.
 */
function respond(messages: readonly ModelMessage[]): ScriptedAnswer {
  const results = messages.flatMap(({ role, content }) => role === "tool" ? content : [])
    .filter((part) => part.type === "tool-result");
  const [rate, booking] = results.map(({ output }) => output);
  if (rate === undefined) {
    return { calls: [{ toolName: "exchange_rate", input: { currency: "NOK" } }] };
  }
  const euros = "value" in rate ? Number(rate.value) * 250 : 0;
  if (booking === undefined) {
    return { calls: [{ toolName: "book", input: { merchant: "Kaffebar", euros } }] };
  }
  const bookingId = booking.type === "text" ? booking.value : null;
  return {
    calls: [{ toolName: "final_answer", input: { merchant: "Kaffebar", euros, bookingId } }],
  };
}

/** Creates a model that exits the process on its third call if `crashes` is `true`. */
function createModel(crashes: boolean): LanguageModel {
  const turn = ({ messages }: { readonly messages: readonly ModelMessage[] }) => {
    const answer = respond(messages);
    if (crashes && answer.calls?.[0]?.toolName === "final_answer") Deno.exit(1);
    return answer;
  };
  return scriptedModel([turn, turn, turn]);
}

function createOffice(answer: string | undefined): Office {
  return {
    exchangeRate(currency) {
      console.log(`Exchange rate of ${currency}`);
      return 0.1;
    },
    book(merchant, euros) {
      console.log(`Booked ${euros} euros at ${merchant}`);
      return "B-1";
    },
    approve(toolName, input) {
      console.log(`Approval for ${toolName} with ${JSON.stringify(input)}`);
      return answer === undefined ? confirm("Approve?") : answer !== "--deny";
    },
  };
}

const [file, answer, ...more] = Deno.args;
if (
  file === undefined || file.startsWith("--") || more.length > 0 ||
  !["--approve", "--deny", "--crash", undefined].includes(answer)
) {
  console.error("Usage: main.ts FILE [--approve | --deny | --crash]");
  Deno.exit(2);
}
const model = createModel(answer === "--crash");
console.log(await bookReceipt(model, PHOTO, createOffice(answer), file));
await Deno.remove(file);
