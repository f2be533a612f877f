import { assertEquals, assertNotEquals } from "@std/assert";
import type { MessageInput } from "../shared/model.ts";
import { digestOfConversation } from "./conversation_digest.ts";
import { emptyConversation, extendConversation, readConversation } from "./known_conversation.ts";

Deno.test("digestOfConversation() depends on the messages only, not on how they were added", async () => {
  const messages = Array.from({ length: 50 }, (_, index): MessageInput => {
    const content = [{ type: "text" as const, text: String(index) }];
    return index % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
  });
  for (const length of [0, 1, 15, 16, 17, 32, 49]) {
    const read = await digestOfConversation(readConversation(messages.slice(0, length)));
    for (const step of [1, 7, 16, 40]) {
      let conversation = emptyConversation();
      for (let start = 0; start < length; start += step) {
        const added = messages.slice(start, Math.min(start + step, length));
        conversation = extendConversation(conversation, added);
        if (start % 3 === 0) await digestOfConversation(conversation);
      }
      assertEquals(await digestOfConversation(conversation), read);
    }
    for (let index = 0; index < length; index++) {
      const other = messages.with(index, { role: "user", content: "other" }).slice(0, length);
      assertNotEquals(await digestOfConversation(readConversation(other)), read);
    }
    assertNotEquals(
      await digestOfConversation(readConversation(messages.slice(0, length + 1))),
      read,
    );
  }
});

Deno.test("digestOfConversation() is the digest of chained links of 16 messages", async () => {
  const message: MessageInput = { role: "user", content: "a" };
  // Computed with Python: hashlib.sha256(json.dumps([digest, *messages], sort_keys=True, ...)).
  assertEquals(await digestOfConversation(readConversation([])), "BVU530oLgExYyvRsDNKUGg");
  assertEquals(
    await digestOfConversation(readConversation(Array(17).fill(message))),
    "6GFh8hqGoZ8nPmdnvan-tA",
  );
});
