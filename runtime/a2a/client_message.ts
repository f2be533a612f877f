/**
 * Messages that a client sends.
 *
 * @module
 */

import { readPushConfig, readSendRequest } from "@parley/internal/a2a-request";
import { defined } from "@parley/internal/json";
import { InvalidMember, toProtoObject } from "@parley/internal/proto-json";
import type { JsonObject } from "../shared/json.ts";
import type { A2aSendOptions, CallSettings, PushReceiver } from "./client_options.ts";
import type { A2aMessage } from "./types.ts";

/** A message to send: text, or parts with optional members of a message. */
export type A2aNewMessage =
  | string
  | (Omit<A2aMessage, "messageId" | "role"> & Partial<Pick<A2aMessage, "messageId">>);

/**
 * Returns the parameters of a request that sends a message.
 *
 * @throws {TypeError} If the message is not valid.
 */
export function toSendParams(
  message: A2aNewMessage,
  settings: CallSettings<A2aSendOptions>,
): JsonObject {
  const { acceptedOutputModes, historyLength, metadata, pushConfig, returnImmediately } = settings;
  const content = typeof message === "string" ? { parts: [{ text: message }] } : message;
  const configuration = {
    acceptedOutputModes,
    historyLength,
    returnImmediately,
    taskPushNotificationConfig: pushConfig,
  };
  return withTypeError(() =>
    readSendRequest({
      message: { messageId: crypto.randomUUID(), ...content, role: "ROLE_USER" },
      configuration,
      metadata,
    }, Infinity)
  );
}

/**
 * Returns the parameters of a request that adds a configuration of push notifications.
 *
 * @throws {TypeError} If the configuration is not valid.
 */
export function toPushParams(taskId: string, config: PushReceiver): JsonObject {
  const { authentication, id, token, url } = config;
  const given = defined({ authentication, id, taskId, token, url });
  return withTypeError(() => readPushConfig(toProtoObject(given, "config")));
}

function withTypeError(read: () => JsonObject): JsonObject {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidMember ? new TypeError(error.message) : error;
  }
}
