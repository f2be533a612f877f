/** Events of tools that the server of the OpenAI Responses API executes. */

import { assert, assertEquals } from "@std/assert";
import { isJsonValue } from "../shared/json.ts";
import type { ModelResponse } from "../shared/model.ts";
import { collect } from "./testdata/ask.ts";
import {
  completed,
  HOST,
  itemEvents,
  message,
  read,
  reply,
  streamOf,
} from "./testdata/responses.ts";

const TEXT_DELTA = "response.output_text.delta";

/** Returns the part that stores an item. */
function partOf(
  { result, ...item }: Record<string, unknown>,
): ModelResponse["message"]["content"][number] {
  assert(isJsonValue(item));
  const stored = { providerOptions: { [HOST]: { item } } };
  return result === undefined ? { type: "reasoning", text: "", ...stored } : {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: "AQID" },
    ...stored,
  };
}

/** Events of hosted tools between the beginning and the end of their item. */
const HOSTED: readonly (readonly [item: Record<string, unknown>, events: readonly object[]])[] = [
  [{ type: "mcp_list_tools", id: "m", tools: [] }, [
    { type: "response.mcp_list_tools.in_progress" },
    { type: "response.mcp_list_tools.completed" },
  ]],
  [{ type: "mcp_call", id: "m", name: "f", arguments: "{}", output: "1" }, [
    { type: "response.mcp_call.in_progress" },
    { type: "response.mcp_call_arguments.delta", delta: "{}", obfuscation: "x" },
    { type: "response.mcp_call_arguments.done", arguments: "{}" },
    { type: "response.mcp_call.completed" },
  ]],
  [{ type: "file_search_call", id: "f", queries: [], results: null }, [
    { type: "response.file_search_call.searching" },
    { type: "response.file_search_call.completed" },
  ]],
  [{ type: "code_interpreter_call", id: "c", code: "1", outputs: null }, [
    { type: "response.code_interpreter_call_code.delta", delta: "1" },
    { type: "response.code_interpreter_call_code.done", code: "1" },
  ]],
  [{ type: "shell_call", id: "s", call_id: "c", environment: { container_id: "x" } }, [
    { type: "response.shell_call_command.added", command: "" },
    { type: "response.shell_call_command.delta", delta: "ls" },
    { type: "response.shell_call_command.done", command: "ls" },
  ]],
  [{ type: "apply_patch_call", id: "a", call_id: "c", operation: { type: "update_file" } }, [
    { type: "response.apply_patch_call_operation_diff.delta", delta: "+a" },
    { type: "response.apply_patch_call_operation_diff.done", diff: "+a" },
  ]],
  [{ type: "image_generation_call", id: "i", result: "AQID" }, [
    { type: "response.image_generation_call.generating" },
    { type: "response.image_generation_call.partial_image", partial_image_b64: "AQ==" },
    { type: "response.image_generation_call.completed" },
  ]],
];

for (const [item, events] of HOSTED) {
  Deno.test(`openAiResponses() reads the item, and no events, of a hosted tool: ${item.type}`, async () => {
    const [begin = {}, done = {}] = itemEvents(0, item, "", []);
    const between = events.map((event) => ({ output_index: 0, item_id: item.id, ...event }));
    const items = [item, message("Done")];
    const all = await collect(streamOf([
      { type: "response.created", response: reply([], { status: "queued" }) },
      { type: "response.queued", response: reply([], { status: "queued" }) },
      ...[begin, ...between, done],
      ...itemEvents(1, message("Done"), TEXT_DELTA, ["Done"]),
      completed(items),
    ]));
    const [delta, end, ...others] = all;
    assertEquals([delta, others], [{ type: "text-delta", delta: "Done" }, []]);
    assert(end?.type === "finish");
    const whole = await read(items);
    for (const { message } of [end.response, whole]) {
      assertEquals(message.content, [partOf(item), { type: "text", text: "Done" }]);
    }
  });
}
