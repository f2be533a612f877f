import { assertEquals } from "@std/assert";
import { runSubAgentTask, ToolLoopAgent } from "../mod.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { ApprovalDecision, ApprovalHandler } from "../loop/approval.ts";
import type { RunOptions } from "../loop/options.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { type ScriptedCall, scriptedModel } from "../testing.ts";

const SHOWN: ScriptedCall = { toolName: "transfer", input: { to: "alice", amount: 1 } };

/** Calls that the model requests in place of the approved call after the run is resumed. */
const SWAPPED: readonly (readonly ScriptedCall[])[] = [
  [{ toolName: "wipe", input: { to: "alice", amount: 1 } }],
  [{ toolName: "transfer", input: { to: "mallory", amount: 1 } }],
  [{ toolName: "transfer", input: { to: "alice", amount: "1" } }],
  [{ toolName: "transfer", input: { to: "alice", amount: 1, more: null } }],
  [{ toolName: "transfer", input: JSON.parse('{"to":"alice","amount":1,"__proto__":{}}') }],
  [{ toolName: "transfer", input: [{ to: "alice", amount: 1 }] }],
  [{ toolName: "transfer", input: {} }],
  [{ toolName: "wipe", input: {} }, SHOWN],
];

interface Outcome {
  readonly output: ToolLoopOutput;
  readonly executed: readonly string[];
}

function agentWith(executed: string[], handler?: ApprovalHandler): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "clerk",
    model: scriptedModel([{ calls: [{ toolName: "delegate" }] }, { text: "done" }]),
    onError: () => {},
    ...handler === undefined ? {} : { approvalHandler: handler },
  });
  for (const name of ["transfer", "wipe"]) {
    agent.registry.register({
      name,
      inputSchema: {},
      execute: (input: unknown): void => void executed.push(`${name} ${JSON.stringify(input)}`),
    });
  }
  return agent;
}

async function startAgent(
  calls: readonly ScriptedCall[],
  options: RunOptions,
  handler?: ApprovalHandler,
): Promise<Outcome> {
  const executed: string[] = [];
  const agent = new ToolLoopAgent({
    name: "clerk",
    model: scriptedModel([{ calls }, { text: "done" }]),
    onError: () => {},
    registry: agentWith(executed).registry,
    ...handler === undefined ? {} : { approvalHandler: handler },
  });
  await agent.initialize();
  const output = await agent.run("go", options);
  await agent.terminate();
  return { output, executed };
}

/**
 * Runs an agent whose sub-agent requests the given tool calls. The parent's `delegate` call is
 * always approved.
 */
async function startSubAgent(
  calls: readonly ScriptedCall[],
  options: RunOptions,
  handler?: ApprovalHandler,
): Promise<Outcome> {
  const executed: string[] = [];
  const decide: ApprovalHandler = (request) =>
    request.toolCall.toolName === "delegate" ||
    (handler === undefined ? { decision: "defer" } : handler(request));
  const agent = agentWith(executed, decide);
  agent.registry.register({
    name: "delegate",
    inputSchema: {},
    execute: async (_input: unknown, context) => {
      const model = scriptedModel([{ calls }, { text: "done" }]);
      const { finalText } = await runSubAgentTask(agent, { name: "helper", model }, "go", {
        context,
      });
      return finalText;
    },
  });
  await agent.initialize();
  const output = await agent.run("go", options);
  await agent.terminate();
  return { output, executed };
}

const APPROVE: ApprovalDecision = { decision: "approve" };
function defer(): ApprovalDecision {
  return { decision: "defer" };
}

for (
  const [subject, start] of [["an agent", startAgent], ["a sub-agent", startSubAgent]] as const
) {
  Deno.test(`an approval of one call never executes another call of ${subject}`, async () => {
    const journal = new MemoryJournal();
    const suspended = await start([SHOWN], {
      runId: "r",
      stepRunner: recordSteps(journal),
    }, defer);
    const decisions = Object.fromEntries(
      (suspended.output.pending?.approvals ?? []).map(({ key }) => [key, APPROVE]),
    );
    assertEquals(Object.keys(decisions).length, 1);

    const withoutModelSteps = journal.toText().split("\n")
      .filter((line) => !line.includes('"kind":"model"')).join("\n").replaceAll(/,"n":\d+/g, "");
    const journals: readonly (() => RunOptions)[] = [
      () => ({}),
      () => ({ stepRunner: recordSteps(new MemoryJournal()) }),
      () => ({ stepRunner: recordSteps(MemoryJournal.fromText(withoutModelSteps)) }),
    ];
    for (const options of journals) {
      for (const calls of SWAPPED) {
        for (const handler of [undefined, defer, () => false]) {
          const resumed = await start(calls, { runId: "r", decisions, ...options() }, handler);
          assertEquals(resumed.executed, []);
        }
      }
      const same = await start([SHOWN], { runId: "r", decisions, ...options() }, () => false);
      assertEquals(same.executed, [`transfer ${JSON.stringify(SHOWN.input)}`]);
    }

    // If the journal is complete, the run reads the approved call from the journal, not from the
    // model.
    const resumed = await start(SWAPPED[0] ?? [], {
      runId: "r",
      decisions,
      stepRunner: recordSteps(MemoryJournal.fromText(journal.toText())),
    }, defer);
    assertEquals(resumed.executed, [`transfer ${JSON.stringify(SHOWN.input)}`]);
  });
}
