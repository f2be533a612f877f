/**
 * Reads the request of an A2A client that sends a message, in one form. Two requests that mean the
 * same have the same result, so that a digest of the result can be signed.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#321-sendmessagerequest SendMessageRequest}
 * @module
 */

import {
  MAX_ID_LENGTH,
  MAX_TASK_ID_LENGTH,
  type MessageJson,
  readMessage,
  toOptional,
} from "./a2a_message.ts";
import { defined } from "./json.ts";
import {
  type JsonObject,
  memberOf,
  type ProtoObject,
  readBoolean,
  readInteger,
  readJsonObject,
  readObject,
  readString,
  readStrings,
  requireString,
  toProtoObject,
} from "./proto_json.ts";

/** The receiver of the updates of a task. */
export type PushConfigJson = {
  readonly tenant?: string;
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
};

/** Settings of a request. */
export type SendConfigurationJson = {
  readonly acceptedOutputModes?: readonly string[];
  readonly taskPushNotificationConfig?: PushConfigJson;
  readonly historyLength?: number;
  readonly returnImmediately?: true;
};

/** A request that sends a message. */
export type SendRequestJson = {
  readonly tenant?: string;
  readonly message: MessageJson;
  readonly configuration?: SendConfigurationJson;
  readonly metadata?: JsonObject;
};

/** Maximum of an `int32`. */
const MAX_INTEGER = 2_147_483_647;

/**
 * Reads a request that sends a message. Members that the protocol does not define are dropped, and
 * so are members with their default value, such as an empty list.
 *
 * @param maxParts Maximum number of parts of the message.
 * @throws {InvalidMember} If the request is not valid.
 */
export function readSendRequest(value: unknown, maxParts?: number): SendRequestJson {
  const from = toProtoObject(value);
  const message = readMessage(memberOf(from, "message"), "message", maxParts);
  const configuration = readConfiguration(readObject(from, "configuration"));
  const tenant = readString(from, "tenant");
  const metadata = readJsonObject(from, "metadata");
  return { message, ...defined({ tenant, configuration, metadata }) };
}

function readConfiguration(from: ProtoObject | undefined): SendConfigurationJson | undefined {
  if (from === undefined) return undefined;
  const push = readObject(from, "taskPushNotificationConfig");
  const configuration: SendConfigurationJson = {
    ...defined({
      acceptedOutputModes: toOptional(readStrings(from, "acceptedOutputModes")),
      taskPushNotificationConfig: push && readPushConfig(push),
      historyLength: readHistoryLength(from),
    }),
    ...readBoolean(from, "returnImmediately") && { returnImmediately: true },
  };
  return Object.keys(configuration).length === 0 ? undefined : configuration;
}

/** Reads the number of messages of a task that the client wants. */
export function readHistoryLength(from: ProtoObject): number | undefined {
  return readInteger(from, "historyLength", [0, MAX_INTEGER]);
}

/** Maximum length of a token or of credentials. */
const MAX_SECRET_LENGTH = 8192;

/**
 * Reads a configuration of push notifications, without checking whether its URL may be requested.
 *
 * @throws {InvalidMember} If the configuration is not valid.
 */
export function readPushConfig(from: ProtoObject): PushConfigJson {
  const authentication = readObject(from, "authentication");
  return {
    url: requireString(from, "url", 2048),
    ...defined({
      tenant: readString(from, "tenant"),
      id: readString(from, "id", MAX_ID_LENGTH),
      taskId: readString(from, "taskId", MAX_TASK_ID_LENGTH),
      token: readString(from, "token", MAX_SECRET_LENGTH),
      authentication: authentication && {
        scheme: requireString(authentication, "scheme", 64),
        ...defined({ credentials: readString(authentication, "credentials", MAX_SECRET_LENGTH) }),
      },
    }),
  };
}
