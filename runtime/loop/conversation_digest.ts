/**
 * The digest of the conversation that a run continues.
 *
 * @module
 */

import { toStepValue } from "../shared/step_value.ts";
import { digestOfJson } from "./decisions.ts";
import type { Conversation } from "./known_conversation.ts";

/** Number of messages in a link of the digest. */
const LINK_LENGTH = 16;

/**
 * Returns a digest of the messages of a conversation, which depends only on them. Each link of the
 * digest covers 16 messages and the link before, so a conversation that extends another one needs
 * only its last links.
 *
 * @throws {TypeError} If a message contains anything other than JSON, dates, bytes and URLs.
 */
export async function digestOfConversation(conversation: Conversation): Promise<string> {
  for (;;) {
    const { digested: { count, digest }, messages } = conversation;
    const link = messages.slice(count, count + LINK_LENGTH).map((one) => toStepValue(one));
    const next = await digestOfJson([digest, ...link]);
    if (link.length < LINK_LENGTH) return next;
    conversation.digested = { count: count + LINK_LENGTH, digest: next };
  }
}
