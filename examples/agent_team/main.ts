/**
 * Demonstrates an approval, a sub-agent and a workflow. The agents write and check release notes,
 * and publish them after approval. In durable.ts, the same agents run across several processes.
 *
 *     deno run examples/agent_team/main.ts             asks before publishing
 *     deno run examples/agent_team/main.ts --approve   or --deny: decides without asking
 *
 * @module
 */

import type { ApprovalDecision, PendingApproval } from "@parley/runtime";
import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
import { createTeam, printEvents, type Site } from "./team.ts";

const TASK = "Publish the release notes";

/** Runs the workflow until it ends or needs an approval. Returns the pending approvals. */
async function writeNotes(site: Site, journal: MemoryJournal): Promise<readonly PendingApproval[]> {
  const team = createTeam(site);
  try {
    const { pending = [] } = await team.workflow.run(TASK, {
      stepRunner: recordSteps(journal),
      onEvent: printEvents(console.log),
    });
    return pending.flatMap(({ batch }) => batch.approvals);
  } finally {
    await team[Symbol.asyncDispose]();
  }
}

/** Resumes the workflow. Recorded steps are not repeated. */
async function finish(
  site: Site,
  snapshot: string,
  decisions: Record<string, ApprovalDecision>,
): Promise<string> {
  const team = createTeam(site);
  try {
    const stepRunner = recordSteps(MemoryJournal.fromText(snapshot));
    const { finalText } = await team.workflow.run(TASK, {
      stepRunner,
      decisions,
      onEvent: printEvents(console.log),
    });
    return finalText;
  } finally {
    await team[Symbol.asyncDispose]();
  }
}

function decide({ toolCall }: PendingApproval, answer: string | undefined): ApprovalDecision {
  console.log(
    `\nApproval for ${toolCall.toolName} with ${JSON.stringify(toolCall.input, null, 2)}`,
  );
  const isApproved = answer === undefined ? confirm("Approve?") : answer === "--approve";
  return isApproved ? { decision: "approve" } : { decision: "deny", reason: "not today" };
}

const [answer, ...more] = Deno.args;
if (!["--approve", "--deny", undefined].includes(answer) || more.length > 0) {
  console.error("Usage: main.ts [--approve | --deny]");
  Deno.exit(2);
}
const published: string[] = [];
const site: Site = { publish: (text) => published.push(text) };
const journal = new MemoryJournal();
const open = await writeNotes(site, journal);
const snapshot = journal.toText();
const decisions = Object.fromEntries(
  open.map((approval) => [approval.key, decide(approval, answer)]),
);
console.log(`\nResumed from a snapshot of ${snapshot.length} characters:`);
console.log(await finish(site, snapshot, decisions));
console.log(`On the site: ${JSON.stringify(published)}`);
