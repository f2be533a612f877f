/** Calls our agent with the client of the A2A SDK. */

import {
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { serveAgent } from "./agent.ts";

const TRANSPORTS = ["JSONRPC", "HTTP+JSON"];

async function connect(origin: string, transport: string): Promise<Client> {
  const options = { preferredTransports: [transport] };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options),
  );
  return await factory.createFromUrl(origin);
}

let count = 0;

/** Returns a request with text. The types of the SDK require all members. */
function request(
  value: string,
  task: { taskId?: string; contextId?: string } = {},
): SendMessageRequest {
  return {
    tenant: "",
    metadata: {},
    configuration: undefined,
    message: {
      messageId: `m${count++}`,
      role: Role.ROLE_USER,
      contextId: "",
      taskId: "",
      parts: [{ content: { $case: "text", value }, metadata: {}, filename: "", mediaType: "" }],
      metadata: {},
      extensions: [],
      referenceTaskIds: [],
      ...task,
    },
  };
}

async function send(client: Client, message: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(message);
  assert("status" in result);
  return result;
}

/** Returns the text of the artifacts of a task. */
function textOf({ artifacts }: Task): string {
  const contents = artifacts.flatMap(({ parts }) => parts).map(({ content }) => content);
  return contents.map((content) => content?.$case === "text" ? content.value : "").join("");
}

/** Returns the kinds of the updates, sorted, the text that they result in, and the last state. */
async function follow(updates: AsyncIterable<StreamResponse>) {
  const kinds = new Set<string>();
  let [text, state] = ["", TaskState.TASK_STATE_UNSPECIFIED];
  for await (const { payload } of updates) {
    assert(payload !== undefined);
    kinds.add(payload.$case);
    if (payload.$case === "task" || payload.$case === "statusUpdate") {
      state = payload.value.status?.state ?? state;
    }
    if (payload.$case === "artifactUpdate") {
      const { append, artifact } = payload.value;
      const added = artifact?.parts.map(({ content }) =>
        content?.$case === "text" ? content.value : ""
      ).join("");
      text = append ? text + added : added ?? "";
    }
  }
  return { kinds: [...kinds].toSorted(), text, state };
}

for (const transport of TRANSPORTS) {
  Deno.test(`the client of the A2A SDK sends messages and reads tasks (${transport})`, async () => {
    await using agent = await serveAgent();
    const client = await connect(agent.origin, transport);
    const task = await send(client, request("6 * 7"));
    assertEquals(task.status?.state, TaskState.TASK_STATE_COMPLETED);
    assertEquals(textOf(task), "Answer to 6 * 7");

    const { contextId, id } = task;
    const read = await client.getTask({ tenant: "", id, historyLength: 1 });
    assertEquals([read.id, read.history.length, textOf(read)], [id, 1, "Answer to 6 * 7"]);
    const next = await send(client, request("more", { contextId }));
    assertEquals(next.contextId, contextId);
    const list = await client.listTasks({
      tenant: "",
      contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageSize: 1,
      pageToken: "",
      historyLength: 0,
      statusTimestampAfter: undefined,
      includeArtifacts: false,
    });
    assertEquals([list.tasks.map((each) => each.id), list.totalSize], [[next.id], 2]);
    assert(list.nextPageToken !== "");
  });

  Deno.test(`the client of the A2A SDK streams a task (${transport})`, async () => {
    await using agent = await serveAgent();
    const client = await connect(agent.origin, transport);
    assertEquals(await follow(client.sendMessageStream(request("6 * 7"))), {
      kinds: ["artifactUpdate", "statusUpdate", "task"],
      text: "Answer to 6 * 7",
      state: TaskState.TASK_STATE_COMPLETED,
    });
  });

  Deno.test(`the client of the A2A SDK answers a question (${transport})`, async () => {
    await using agent = await serveAgent();
    const client = await connect(agent.origin, transport);
    const { contextId, id, status } = await send(client, request("ask"));
    assertEquals(status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const [part] = status?.message?.parts ?? [];
    assertEquals(part?.content, { $case: "text", value: "Which one?" });
    const answered = await send(client, request("the red one", { taskId: id, contextId }));
    assertEquals(answered.status?.state, TaskState.TASK_STATE_COMPLETED);
    assertEquals([answered.id, textOf(answered)], [id, "You said the red one"]);
  });

  Deno.test(`the client of the A2A SDK cancels a task that it follows (${transport})`, async () => {
    await using agent = await serveAgent();
    const client = await connect(agent.origin, transport);
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    };
    const { id } = await send(client, { ...request("wait"), configuration });
    const following = follow(client.resubscribeTask({ tenant: "", id }));
    const cancelled = await client.cancelTask({ tenant: "", id, metadata: {} });
    assertEquals(cancelled.status?.state, TaskState.TASK_STATE_CANCELED);
    assertEquals((await following).state, TaskState.TASK_STATE_CANCELED);
  });

  Deno.test(`the client of the A2A SDK receives our errors (${transport})`, async () => {
    await using agent = await serveAgent();
    const client = await connect(agent.origin, transport);
    await assertRejects(() => client.getTask({ tenant: "", id: "unknown" }), TaskNotFoundError);
    const { id } = await send(client, request("6 * 7"));
    const cancel = () => client.cancelTask({ tenant: "", id, metadata: {} });
    await assertRejects(cancel, TaskNotCancelableError);
  });
}
