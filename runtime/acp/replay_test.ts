import { assertEquals } from "@std/assert";
import { replayMessage } from "./replay.ts";

Deno.test("replayMessage() encodes reasoning and files, and omits system messages", () => {
  const [first, second, ...rest] = replayMessage({
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw==" } },
    ],
  }, () => "other");
  const id = first?.messageId;
  assertEquals([first, second, rest], [
    {
      sessionUpdate: "agent_thought_chunk",
      content: { type: "text", text: "Hm" },
      messageId: id,
    },
    {
      sessionUpdate: "agent_message_chunk",
      content: { type: "image", data: "iVBORw==", mimeType: "image/png" },
      messageId: id,
    },
    [],
  ]);
  assertEquals(replayMessage({ role: "system", content: "Be brief." }, () => "other"), []);
});
