/** Calls an agent that the server of the A2A SDK serves with our client and our tool. */

import { AgentCard, type Part, Role, TaskState, type TaskStatus } from "@a2a-js/sdk";
import {
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  UserBuilder,
} from "@a2a-js/sdk/server/express";
import { assert, assertEquals, assertRejects } from "@std/assert";
import express from "express";
import type { AddressInfo } from "node:net";
import { ToolLoopAgent } from "@parley/runtime";
import { A2aClient, A2aError, type A2aTask, remoteA2aAgent } from "@parley/runtime/a2a";
import { scriptedModel } from "@parley/runtime/testing";

function textPart(value: string): Part {
  return { content: { $case: "text", value }, metadata: {}, filename: "", mediaType: "" };
}

/**
 * Responds with `Answer to <message>` in two parts of one artifact. `fail` fails, `ask` requires
 * input, and `wait` works until the task is cancelled.
 */
class Oracle implements AgentExecutor {
  readonly #cancelled = Promise.withResolvers<void>();

  readonly execute = (context: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { contextId, taskId, userMessage } = context;
    const [part] = userMessage.parts;
    const question = part?.content?.$case === "text" ? part.content.value : "";
    const ids = { taskId, contextId };
    if (context.task === undefined) {
      const status = toStatus(TaskState.TASK_STATE_SUBMITTED);
      const rest = { artifacts: [], history: [userMessage], metadata: {} };
      bus.publish({ kind: "task", data: { id: taskId, contextId, status, ...rest } });
    }
    setState(bus, ids, toStatus(TaskState.TASK_STATE_WORKING));
    // The server closes the streams of a task whose execution has ended.
    if (question === "wait") return this.#cancelled.promise;
    if (question === "ask") {
      setState(bus, ids, toStatus(TaskState.TASK_STATE_INPUT_REQUIRED, "Which one?"));
    } else if (question === "fail") {
      setState(bus, ids, toStatus(TaskState.TASK_STATE_FAILED, "No luck"));
    } else {
      for (const [index, value] of ["Answer to ", question].entries()) {
        const artifact = { artifactId: "a", name: "", description: "", parts: [textPart(value)] };
        bus.publish({
          kind: "artifactUpdate",
          data: {
            ...ids,
            artifact: { ...artifact, metadata: {}, extensions: [] },
            append: index > 0,
            lastChunk: index > 0,
            metadata: {},
          },
        });
      }
      setState(bus, ids, toStatus(TaskState.TASK_STATE_COMPLETED));
    }
    bus.finished();
    return Promise.resolve();
  };

  readonly cancelTask = (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    setState(bus, { taskId, contextId: "c1" }, toStatus(TaskState.TASK_STATE_CANCELED));
    bus.finished();
    this.#cancelled.resolve();
    return Promise.resolve();
  };
}

function toStatus(state: TaskState, text?: string): TaskStatus {
  const message = text === undefined ? undefined : {
    messageId: "m",
    role: Role.ROLE_AGENT,
    parts: [textPart(text)],
    contextId: "",
    taskId: "",
    extensions: [],
    referenceTaskIds: [],
    metadata: {},
  };
  return { state, timestamp: new Date().toISOString(), message };
}

function setState(
  bus: ExecutionEventBus,
  ids: { readonly taskId: string; readonly contextId: string },
  status: TaskStatus,
): void {
  bus.publish({ kind: "statusUpdate", data: { ...ids, status, metadata: {} } });
}

/** Serves the agent with one binding, and connects our client to it. */
async function connect(
  binding: string,
  streaming: boolean,
): Promise<AsyncDisposable & { readonly client: A2aClient }> {
  const app = express();
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  // The cast is safe: the server listens at a TCP port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = binding === "JSONRPC" ? "rpc" : "rest";
  const card = AgentCard.fromJSON({
    name: "Oracle",
    description: "Solves difficult tasks",
    version: "1.0.0",
    capabilities: { streaming, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "a", name: "a", description: "a", tags: ["a"] }],
    supportedInterfaces: [
      { url: `${origin}/${path}`, protocolBinding: binding, protocolVersion: "1.0" },
    ],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Oracle());
  const handlers = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler(handlers));
  app.use("/rest", restHandler(handlers));
  return {
    client: await A2aClient.connect(origin),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends the task with a tool. Returns the result of the call. */
async function callTool(client: A2aClient, task: string): Promise<unknown> {
  await using agent = new ToolLoopAgent({
    name: "clerk",
    model: scriptedModel([{ calls: [{ toolName: "Oracle", input: { task } }] }, { text: "Done" }]),
    tools: [remoteA2aAgent({ client })],
    onError: () => {},
  });
  const { iterations } = await agent.run("Ask");
  return iterations[0]?.toolResults[0]?.output;
}

async function send(client: A2aClient, text: string, contextId?: string): Promise<A2aTask> {
  const message = { parts: [{ text }], ...(contextId === undefined ? {} : { contextId }) };
  const response = await client.send(message, { returnImmediately: text === "wait" });
  assert("task" in response);
  return response.task;
}

for (const binding of ["JSONRPC", "HTTP+JSON"]) {
  Deno.test(`A2aClient calls a server of the A2A SDK (${binding})`, async () => {
    await using server = await connect(binding, true);
    const { client } = server;
    const { artifacts, id, status } = await send(client, "6 * 7");
    assertEquals(status.state, "TASK_STATE_COMPLETED");
    const parts = artifacts?.flatMap((artifact) => artifact.parts);
    assertEquals(parts?.map((part) => "text" in part ? part.text : ""), ["Answer to ", "6 * 7"]);
    const read = await client.getTask(id, { historyLength: 1 });
    assertEquals([read.status.state, read.history?.length], ["TASK_STATE_COMPLETED", 1]);
    const { tasks } = await client.listTasks({ pageSize: 5 });
    assertEquals(tasks.map((task) => task.id), [id]);

    const unknown = await assertRejects(() => client.getTask("unknown"), A2aError);
    assertEquals(unknown.reason, "TASK_NOT_FOUND");
    const ended = await assertRejects(() => client.cancelTask(id), A2aError);
    assertEquals(ended.reason, "TASK_NOT_CANCELABLE");

    const kinds: string[] = [];
    for await (const update of client.stream("6 * 7")) kinds.push(...Object.keys(update));
    assertEquals(kinds[0], "task");
    assertEquals(kinds.filter((kind) => kind === "artifactUpdate").length, 2);
    assertEquals(kinds.at(-1), "statusUpdate");
  });

  Deno.test(`A2aClient cancels a task of a server of the A2A SDK (${binding})`, async () => {
    await using server = await connect(binding, true);
    const { client } = server;
    const { id } = await send(client, "wait", "c1");
    const updates = client.subscribe(id);
    const { value: first } = await updates.next();
    assert(first !== undefined && "task" in first);
    assertEquals(first.task.id, id);
    assertEquals((await client.cancelTask(id)).status.state, "TASK_STATE_CANCELED");
    const last = (await Array.fromAsync(updates)).at(-1);
    assert(last !== undefined && "statusUpdate" in last);
    assertEquals(last.statusUpdate.status.state, "TASK_STATE_CANCELED");
  });

  Deno.test(`A2aClient manages push configurations of the A2A SDK (${binding})`, async () => {
    await using server = await connect(binding, true);
    const { client } = server;
    const { id: taskId } = await send(client, "wait");
    const authentication = { scheme: "Bearer", credentials: "c" };
    const config = { id: "p1", url: "https://example.com/updates", token: "t", authentication };
    assertEquals(await client.createPushConfig(taskId, config), { ...config, taskId });
    assertEquals(await client.getPushConfig(taskId, "p1"), { ...config, taskId });
    assertEquals(await client.listPushConfigs(taskId), [{ ...config, taskId }]);
    await client.deletePushConfig(taskId, "p1");
    assertEquals(await client.listPushConfigs(taskId), []);
    // The end of the task is not sent, because there is no configuration.
    await client.cancelTask(taskId);
  });

  for (const streaming of [true, false]) {
    const title = `${binding}, ${streaming ? "streaming" : "polling"}`;
    Deno.test(`remoteA2aAgent() calls a server of the A2A SDK (${title})`, async () => {
      await using server = await connect(binding, streaming);
      const { client } = server;
      assertEquals(await callTool(client, "6 * 7"), { type: "text", value: "Answer to 6 * 7" });
      const failed = 'Agent "Oracle" ended with status "failed": No luck';
      assertEquals(await callTool(client, "fail"), { type: "error-text", value: failed });
      const asked = await callTool(client, "ask");
      assert(typeof asked === "object" && asked !== null && "value" in asked);
      const { message, status } = Object(asked.value);
      assertEquals([status, message], ["input_required", "Which one?"]);
    });
  }
}
