/**
 * An agent that books the expense shown in a photo of a receipt. Booking requires a person's
 * approval, the output is typed, and token usage is limited. If the process crashes, the next call
 * with the same journal file continues the run.
 *
 * @module
 */

import { type LanguageModel, maxTotalTokens, requireValue, ToolLoopAgent } from "@parley/runtime";
import { fileStore } from "@parley/runtime/file";
import { JsonlJournal, recordSteps } from "@parley/runtime/journal";
import { z } from "zod";
import type { Expense, Office } from "./office.ts";

/** Books the expense on a receipt. */
export async function bookReceipt(
  model: LanguageModel,
  photo: Uint8Array,
  office: Office,
  journalPath: string,
): Promise<Expense> {
  const agent = new ToolLoopAgent({
    name: "clerk",
    model,
    systemPrompt: "Book the expense on the receipt in euros.",
    output: z.object({
      merchant: z.string(),
      euros: z.number(),
      bookingId: z.string().nullable(),
    }),
    stopConditions: [maxTotalTokens(20_000)],
    approvalHandler: ({ tool, toolCall: { toolName, input } }) =>
      tool.annotations?.readOnly === true || office.approve(toolName, input),
    tools: [
      {
        name: "exchange_rate",
        description: "Returns the price of one unit of a currency, in euros",
        inputSchema: z.object({ currency: z.string() }),
        annotations: { readOnly: true },
        execute: ({ currency }) => office.exchangeRate(currency),
      },
      {
        name: "book",
        description: "Books an expense and returns the id of the booking",
        inputSchema: z.object({ merchant: z.string(), euros: z.number() }),
        execute: ({ merchant, euros }) => office.book(merchant, euros),
      },
    ],
  });
  const journal = await JsonlJournal.open(fileStore(journalPath));
  const output = await agent.run([
    { type: "text", text: "Book this receipt." },
    { type: "file", mediaType: "image/jpeg", data: { type: "data", data: photo } },
  ], { runId: "receipt", stepRunner: recordSteps(journal) });
  return requireValue(output);
}
