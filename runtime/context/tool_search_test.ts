import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { runToolLoop } from "../loop/loop.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type ToolSearch, toolSearch } from "./tool_search.ts";

const DONE: ScriptedTurn = { text: "done" };

function find(query: string): ScriptedTurn {
  return { calls: [{ toolName: "find_tools", input: { query } }] };
}

function registryOf(
  { tool }: ToolSearch,
  descriptions: Readonly<Record<string, string>>,
): ToolRegistry {
  const registry = new ToolRegistry([tool]);
  for (const [name, description] of Object.entries(descriptions)) {
    registry.register({ name, description, inputSchema: { type: "object" }, execute: () => name });
  }
  return registry;
}

const TOOLS = {
  read_file: "Returns the content of a file",
  writeFile: "Stores a file",
  send_mail: "Sends an e-mail to a person",
  now: "Returns the time",
};

/** Runs the turns and returns the names of the tools in each request. */
async function shown(
  search: ToolSearch,
  turns: readonly ScriptedTurn[],
  registry = registryOf(search, TOOLS),
): Promise<readonly (readonly string[])[]> {
  const model = scriptedModel(turns);
  const { prepareIteration } = search;
  await runToolLoop({ model, registry, prepareIteration, maxIterations: 50 }, "go");
  return model.requests.map(({ tools }) => tools.map(({ name }) => name));
}

Deno.test("toolSearch() shows `always`, find_tools and the found tools", async () => {
  assertEquals(
    await shown(toolSearch({ always: ["now"], limit: 1 }), [find("mail"), find("write"), DONE]),
    [["find_tools", "now"], ["find_tools", "send_mail", "now"], [
      "find_tools",
      "writeFile",
      "send_mail",
      "now",
    ]],
  );
});

Deno.test("toolSearch() ranks matches in the name before matches in the description", async () => {
  const seen: unknown[] = [];
  const search = toolSearch();
  const model = scriptedModel([find("read the content of a FILE"), find("zzz"), DONE]);
  const output = await runToolLoop({
    model,
    registry: registryOf(search, TOOLS),
    prepareIteration: search.prepareIteration,
  }, "go");
  for (const { toolResults } of output.iterations) {
    for (const { output } of toolResults) if ("value" in output) seen.push(output.value);
  }
  assertEquals(
    seen,
    [
      { tools: ["read_file", "writeFile", "now"] },
      "No tool matches. Try other words.",
    ].map((value, index) => index === 0 ? { tools: ["read_file", "writeFile"] } : value),
  );
});

Deno.test("toolSearch() shows at most `maxTools` found tools, the most recently found ones", async () => {
  const search = toolSearch({ limit: 1, maxTools: 2 });
  const requests = await shown(search, [
    find("read"),
    find("write"),
    find("mail"),
    find("write"),
    find("now"),
    DONE,
  ]);
  assertEquals(requests.at(3), ["find_tools", "writeFile", "send_mail"]);
  assertEquals(requests.at(5), ["find_tools", "writeFile", "now"]);
});

Deno.test("toolSearch() limits the results of a custom ranking to known tools", async () => {
  const queries: unknown[] = [];
  const search = toolSearch({
    limit: 2,
    rank: (query, tools) => {
      queries.push([query, tools.map(({ name }) => name)]);
      return Promise.resolve(["now", "now", "find_tools", "reboot", "read_file", "send_mail"]);
    },
  });
  const [, second] = await shown(search, [find("x"), DONE]);
  assertEquals(second, ["find_tools", "read_file", "now"]);
  assertEquals(queries, [["x", ["read_file", "writeFile", "send_mail", "now"]]]);
});

Deno.test("toolSearch() shows a later run the tools that were found earlier in the conversation", async () => {
  const search = toolSearch();
  const registry = registryOf(search, TOOLS);
  const { prepareIteration } = search;
  const model = scriptedModel([find("mail"), DONE, DONE, DONE]);
  const config = { model, registry, prepareIteration };
  const { messages } = await runToolLoop(config, "go");
  await runToolLoop({ ...config, messages }, "again");
  await runToolLoop(config, "another conversation");
  registry.unregister("send_mail");
  const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  assertEquals(names.slice(1), [
    ["find_tools", "send_mail"],
    ["find_tools", "send_mail"],
    ["find_tools"],
  ]);
});

Deno.test("toolSearch() does not show a found tool that is no longer registered", async () => {
  const search = toolSearch();
  const registry = registryOf(search, TOOLS);
  const removes: ScriptedTurn = () => {
    registry.unregister("send_mail");
    return find("mail");
  };
  assertEquals(await shown(search, [find("mail"), removes, DONE], registry), [
    ["find_tools"],
    ["find_tools", "send_mail"],
    ["find_tools"],
  ]);
});

Deno.test("toolSearch() finds only granted tools in a sub-agent", async () => {
  const search = toolSearch();
  const parent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([]),
    registry: registryOf(search, TOOLS),
  });
  await parent.initialize();
  const model = scriptedModel([find("read write file"), DONE]);
  const { prepareIteration } = search;
  const allowedTools = ["find_tools", "read_file"];
  await runSubAgentTask(parent, { name: "c", model, allowedTools, prepareIteration }, "go");
  assertEquals(model.requests[1]?.tools.map(({ name }) => name), ["find_tools", "read_file"]);
});

Deno.test("a tool that was not found cannot be called", async () => {
  const search = toolSearch();
  const model = scriptedModel([{ calls: [{ toolName: "now" }] }, DONE]);
  const output = await runToolLoop({
    model,
    registry: registryOf(search, TOOLS),
    prepareIteration: search.prepareIteration,
  }, "go");
  assertEquals(output.iterations[0]?.toolResults[0]?.code, "tool_not_found");
});

Deno.test("a run fails with code core if find_tools or a tool in `always` is not registered", async () => {
  const { prepareIteration } = toolSearch({ always: ["read"] });
  const error = await assertRejects(
    () =>
      runToolLoop(
        { model: scriptedModel([DONE]), registry: new ToolRegistry(), prepareIteration },
        "go",
      ),
    AgentError,
  );
  assertStringIncludes(error.message, 'got "read"; available tools: none');
});

Deno.test("find_tools must receive the context of the tool loop", async () => {
  const { tool } = toolSearch();
  // The cast is unchecked, because the test passes an invalid context.
  await assertRejects(async () => await tool.execute({ query: "x" }, {} as never), TypeError);
});

Deno.test("toolSearch() rejects invalid options", () => {
  const invalid: readonly (readonly [unknown, string])[] = [
    [{ always: "read" }, '"always"'],
    [{ always: [5] }, '"always[0]"'],
    [{ limit: 0 }, '"limit"'],
    [{ maxTools: 1.5 }, '"maxTools"'],
    [{ rank: 5 }, '"rank"'],
  ];
  for (const [options, name] of invalid) {
    // The cast is unchecked, because the test passes invalid options.
    assertThrows(() => toolSearch(options as never), Error, name);
  }
});
