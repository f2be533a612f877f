import { assert, assertEquals, assertRejects } from "@std/assert";
import { A2aClient } from "./a2a_client.ts";
import { AGENT_CARD_PATH } from "./agent_card.ts";
import { agentCardHandler } from "./agent_card_handler.ts";
import type { ClientBinding } from "./client_request.ts";
import { A2aError } from "./errors.ts";
import { type Clerk, serveClerk } from "./testdata/served_clerk.ts";
import type { A2aTask, SendMessageResponse, StreamResponse } from "./types.ts";

/** Connects a client with one binding to an agent in the same process. */
async function connect(clerk: Clerk, binding: ClientBinding): Promise<A2aClient> {
  const serveCard = await agentCardHandler({
    name: "clerk",
    description: "Repeats what you say",
    version: "1.0.0",
    skills: [{ id: "repeat", name: "Repeat", description: "Repeats", tags: ["text"] }],
  }, { url: "https://clerk.example/a2a", handler: clerk.handler });
  return await A2aClient.connect("https://clerk.example", {
    async fetch(url, init) {
      const request = new Request(url, init);
      if (new URL(url).pathname !== AGENT_CARD_PATH) {
        return await clerk.handler(request, { principal: { subject: "alice" } });
      }
      const card = await (await serveCard(request)).json();
      const supportedInterfaces = Array.from<{ readonly protocolBinding: string }>(
        card.supportedInterfaces,
      ).filter(({ protocolBinding }) => protocolBinding === binding);
      return Response.json({ ...card, supportedInterfaces });
    },
  });
}

Deno.test("the card declares the media types of a2aHandler", async () => {
  const modes = { inputModes: ["text/plain", "image/png"], outputModes: ["text/plain"] };
  await using clerk = serveClerk(modes);
  const { card } = await connect(clerk, "JSONRPC");
  assertEquals(card.defaultInputModes, ["text/plain", "image/png"]);
  assertEquals(card.defaultOutputModes, ["text/plain"]);
});

function taskIn(response: SendMessageResponse): A2aTask {
  assert("task" in response);
  return response.task;
}

/** Returns the text of the artifacts that the updates of a stream result in. */
function textIn(updates: readonly StreamResponse[]): string {
  let text = "";
  for (const update of updates) {
    if (!("artifactUpdate" in update)) continue;
    const { append, artifact: { parts } } = update.artifactUpdate;
    const added = parts.map((part) => "text" in part ? part.text : "").join("");
    text = append === true ? text + added : added;
  }
  return text;
}

function stateIn(updates: readonly StreamResponse[]): string | undefined {
  return updates.map((update) =>
    "statusUpdate" in update ? update.statusUpdate.status.state : undefined
  ).findLast((state) => state !== undefined);
}

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  Deno.test(`A2aClient and a2aHandler agree on all operations (${binding})`, async () => {
    await using clerk = serveClerk();
    const client = await connect(clerk, binding);
    assertEquals(client.card.capabilities, clerk.handler.capabilities);

    const { artifacts, contextId, id, status } = taskIn(await client.send("hello"));
    assertEquals(status.state, "TASK_STATE_COMPLETED");
    assertEquals(artifacts?.map(({ parts }) => parts), [[{ text: "You said: hello" }]]);
    assertEquals((await client.getTask(id, { historyLength: 0 })).history, undefined);
    assertEquals((await client.getTask(id)).history?.length, 1);
    const { tasks, totalSize } = await client.listTasks({ contextId });
    assertEquals([tasks.map((task) => task.id), totalSize], [[id], 1]);

    const updates = await Array.fromAsync(client.stream({ parts: [{ text: "again" }], contextId }));
    assertEquals(textIn(updates), "You said: again");
    assertEquals(stateIn(updates), "TASK_STATE_COMPLETED");

    const ended = await assertRejects(() => client.cancelTask(id), A2aError);
    assertEquals(ended.reason, "TASK_NOT_CANCELABLE");
    const unknown = await assertRejects(() => client.getTask("unknown"), A2aError);
    assertEquals(unknown.reason, "TASK_NOT_FOUND");
    const over = await assertRejects(() => Array.fromAsync(client.subscribe(id)), A2aError);
    assertEquals(over.reason, "UNSUPPORTED_OPERATION");
    await assertRejects(() => client.getExtendedCard(), A2aError);
  });

  Deno.test(`A2aClient manages the push configurations of a2aHandler (${binding})`, async () => {
    await using clerk = serveClerk({ push: { fetch: () => Promise.resolve(new Response()) } });
    const client = await connect(clerk, binding);
    const url = "https://example.com/updates";
    const pushConfig = { id: "p1", url, token: "secret" };
    const { id } = taskIn(await client.send("slow", { returnImmediately: true, pushConfig }));
    assertEquals(await client.getPushConfig(id, "p1"), { ...pushConfig, taskId: id });
    const added = await client.createPushConfig(id, { url });
    assertEquals([added.taskId, added.url], [id, url]);
    assertEquals((await client.listPushConfigs(id)).map((config) => config.id), ["p1", added.id]);
    await client.deletePushConfig(id, "p1");
    assertEquals((await client.listPushConfigs(id)).map((config) => config.id), [added.id]);
    await client.cancelTask(id);
    await using other = serveClerk();
    const poor = await connect(other, binding);
    const error = await assertRejects(() => poor.createPushConfig("t", { url }), A2aError);
    assertEquals(error.reason, "PUSH_NOTIFICATION_NOT_SUPPORTED");
  });

  Deno.test(`A2aClient continues, cancels and follows a task of a2aHandler (${binding})`, async () => {
    await using clerk = serveClerk();
    const client = await connect(clerk, binding);
    const asked = taskIn(await client.send("ask"));
    assertEquals(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
    const { contextId, id } = asked;
    const answered = taskIn(
      await client.send({ parts: [{ text: "the red one" }], taskId: id, contextId }),
    );
    assertEquals([answered.id, answered.status.state], [id, "TASK_STATE_COMPLETED"]);

    const slow = taskIn(await client.send("slow", { returnImmediately: true }));
    assert(!["TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"].includes(slow.status.state));
    const following = Array.fromAsync(client.subscribe(slow.id));
    assertEquals((await client.cancelTask(slow.id)).status.state, "TASK_STATE_CANCELED");
    assertEquals(stateIn(await following), "TASK_STATE_CANCELED");
  });
}
