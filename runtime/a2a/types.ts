/**
 * Messages, tasks and updates of the A2A protocol, as they are sent in JSON.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#4-protocol-data-model Protocol data model}
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";

/** Version of the protocol. */
export const A2A_VERSION = "1.0";

/** Members that the parts of all kinds have. */
export interface A2aPartDetails {
  /** Name of the file. */
  readonly filename?: string;
  /** Media type of the content, for example `image/png`. */
  readonly mediaType?: string;
  /** Data of extensions. */
  readonly metadata?: JsonObject;
}

/** A part of a message or of an artifact. Exactly one of `text`, `raw`, `url` and `data` is set. */
export type A2aPart =
  & A2aPartDetails
  & (
    | {
      /** Text. */
      readonly text: string;
    }
    | {
      /** Bytes of a file, as base64. */
      readonly raw: string;
    }
    | {
      /** URL of a file. */
      readonly url: string;
    }
    | {
      /** JSON data. */
      readonly data: JsonValue;
    }
  );

/** Author of a message. */
export type A2aRole = "ROLE_USER" | "ROLE_AGENT";

/** A message. */
export interface A2aMessage {
  /** Id that the author has chosen. */
  readonly messageId: string;
  /** Author of the message. */
  readonly role: A2aRole;
  /** Content of the message. */
  readonly parts: readonly A2aPart[];
  /** Id of the conversation. */
  readonly contextId?: string;
  /** Id of the task. */
  readonly taskId?: string;
  /** Data of extensions. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[];
  /** Ids of tasks to which the message refers. */
  readonly referenceTaskIds?: readonly string[];
}

/** State of a task. */
export type A2aTaskState =
  | "TASK_STATE_UNSPECIFIED"
  | "TASK_STATE_SUBMITTED"
  | "TASK_STATE_WORKING"
  | "TASK_STATE_COMPLETED"
  | "TASK_STATE_FAILED"
  | "TASK_STATE_CANCELED"
  | "TASK_STATE_INPUT_REQUIRED"
  | "TASK_STATE_REJECTED"
  | "TASK_STATE_AUTH_REQUIRED";

/** State of a task, with the time at which the task has reached it. */
export interface A2aTaskStatus {
  /** State of the task. */
  readonly state: A2aTaskState;
  /** Explanation of the state. */
  readonly message?: A2aMessage;
  /** Time at which the task has reached the state, in ISO 8601 format (UTC). */
  readonly timestamp?: string;
}

/** A result of a task. */
export interface A2aArtifact {
  /** Id of the artifact, unique in the task. */
  readonly artifactId: string;
  /** Name of the artifact. */
  readonly name?: string;
  /** Description of the artifact. */
  readonly description?: string;
  /** Content of the artifact. */
  readonly parts: readonly A2aPart[];
  /** Data of extensions. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[];
}

/** A task: a run of an agent. */
export interface A2aTask {
  /** Id of the task. */
  readonly id: string;
  /** Id of the conversation. */
  readonly contextId: string;
  /** State of the task. */
  readonly status: A2aTaskStatus;
  /** Results of the task. */
  readonly artifacts?: readonly A2aArtifact[];
  /** Messages of the task. */
  readonly history?: readonly A2aMessage[];
  /** Data of extensions. */
  readonly metadata?: JsonObject;
}

/** A change of the state of a task. */
export interface A2aStatusUpdate {
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the conversation. */
  readonly contextId: string;
  /** State of the task. */
  readonly status: A2aTaskStatus;
  /** Data of extensions. */
  readonly metadata?: JsonObject;
}

/** A new artifact, or more of an artifact. */
export interface A2aArtifactUpdate {
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the conversation. */
  readonly contextId: string;
  /** The artifact, or the parts to append to it. */
  readonly artifact: A2aArtifact;
  /** Whether the parts are appended to the artifact with the same id. Otherwise, it is replaced. */
  readonly append?: boolean;
  /** Whether the artifact is complete. */
  readonly lastChunk?: boolean;
  /** Data of extensions. */
  readonly metadata?: JsonObject;
}

/** The response to a message. */
export type SendMessageResponse =
  | {
    /** The task that processes the message. */
    readonly task: A2aTask;
  }
  | {
    /** The response of an agent that has created no task. */
    readonly message: A2aMessage;
  };

/** One response in a stream. */
export type StreamResponse =
  | SendMessageResponse
  | {
    /** A change of the state. */
    readonly statusUpdate: A2aStatusUpdate;
  }
  | {
    /** A change of an artifact. */
    readonly artifactUpdate: A2aArtifactUpdate;
  };

/** An extension in a card. */
export interface A2aAgentExtension {
  /** URI of the extension. */
  readonly uri: string;
  /** Description of the extension. */
  readonly description?: string;
  /** Whether every request must use the extension. */
  readonly required?: boolean;
  /** Parameters of the extension. */
  readonly params?: JsonObject;
}

/** Optional features that an agent supports. */
export interface AgentCapabilities {
  /** Whether the agent streams. */
  readonly streaming?: boolean;
  /** Whether the agent sends push notifications. */
  readonly pushNotifications?: boolean;
  /** Extensions that the agent supports. */
  readonly extensions?: readonly A2aAgentExtension[];
  /** Whether authenticated callers can request an extended card. */
  readonly extendedAgentCard?: boolean;
}
