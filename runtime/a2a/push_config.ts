/**
 * Configurations of push notifications, and the rules for them.
 *
 * @module
 */

import type { PushConfigJson } from "@parley/internal/a2a-request";
import { networkScopeOf } from "@parley/internal/network-scope";
import { InvalidMember } from "@parley/internal/proto-json";
import { trimEnd } from "@parley/internal/trim-end";

/** Credentials of an agent for the receiver of push notifications. */
export interface PushAuthentication {
  /** HTTP authentication scheme, for example `Bearer`. */
  readonly scheme: string;
  /** Credentials. Secret. */
  readonly credentials?: string;
}

/**
 * The receiver of the updates of a task. Contains secrets of the client.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#431-pushnotificationconfig Push notification configurations}
 */
export interface PushConfig {
  /** Id of the configuration, unique for the task. */
  readonly id: string;
  /** Id of the task. */
  readonly taskId: string;
  /** URL that receives the updates. */
  readonly url: string;
  /** Value of the header `X-A2A-Notification-Token`. Secret. */
  readonly token?: string;
  /** Credentials of the agent. */
  readonly authentication?: PushAuthentication;
}

/**
 * Store of the configurations. The ids of tasks and configurations are unique for a subject. The
 * configurations contain secrets.
 */
export interface PushConfigStore {
  /** Adds a configuration, or replaces the one with the same task and the same id. */
  put(subject: string | undefined, config: PushConfig): void | Promise<void>;
  /** Returns the configurations of a task, the oldest first. */
  list(
    subject: string | undefined,
    taskId: string,
  ): readonly PushConfig[] | Promise<readonly PushConfig[]>;
  /** Deletes a configuration, if there is one. */
  delete(subject: string | undefined, taskId: string, id: string): void | Promise<void>;
}

/**
 * Creates a store in the memory of the process.
 *
 * @example Store a configuration
 * ```ts
 * import { memoryPushConfigs } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryPushConfigs();
 * await store.put("alice", { id: "p1", taskId: "t1", url: "https://client.example/hook" });
 * assertEquals((await store.list("alice", "t1")).length, 1);
 * assertEquals((await store.list("bob", "t1")).length, 0);
 * ```
 */
export function memoryPushConfigs(): PushConfigStore {
  const tasks = new Map<string, Map<string, PushConfig>>();
  return {
    put(subject, config) {
      const key = pushKeyOf(subject, config.taskId);
      const configs = tasks.get(key) ?? new Map<string, PushConfig>();
      tasks.set(key, configs.set(config.id, config));
    },
    list: (subject, taskId) => [...tasks.get(pushKeyOf(subject, taskId))?.values() ?? []],
    delete(subject, taskId, id) {
      const key = pushKeyOf(subject, taskId);
      const configs = tasks.get(key);
      configs?.delete(id);
      if (configs?.size === 0) tasks.delete(key);
    },
  };
}

/** Returns the key of a task of a caller. */
export function pushKeyOf(subject: string | undefined, taskId: string): string {
  return JSON.stringify([subject ?? null, taskId]);
}

/** RFC 9110, section 11.1. */
const SCHEME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Characters that cannot end a header or change the next one. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * Returns the configuration of a client for a task.
 *
 * @param path Path of the configuration in error messages.
 * @throws {InvalidMember} If the configuration could change other headers.
 */
export function toPushConfig(
  { authentication, id = crypto.randomUUID(), token, url }: PushConfigJson,
  taskId: string,
): PushConfig {
  if (token !== undefined && !PRINTABLE.test(token)) {
    throw new InvalidMember("token", "a string of printable ASCII characters");
  }
  if (authentication !== undefined && !SCHEME.test(authentication.scheme)) {
    throw new InvalidMember("authentication.scheme", "an HTTP authentication scheme");
  }
  if (!PRINTABLE.test(authentication?.credentials ?? "")) {
    throw new InvalidMember("authentication.credentials", "a string of printable ASCII characters");
  }
  return {
    id,
    taskId,
    url,
    ...token !== undefined && { token },
    ...authentication !== undefined && { authentication },
  };
}

/** Top-level domains without public names (RFC 2606, RFC 6761, RFC 7686). */
const RESERVED_DOMAINS: ReadonlySet<string> = new Set([
  "alt",
  "arpa",
  "example",
  "invalid",
  "onion",
  "test",
]);

/**
 * Returns `true` if push notifications may be sent to a URL: an HTTPS URL with a public DNS name
 * and without credentials. Only the name is checked, not the addresses that it has.
 */
export function isPublicUrl({ hostname, password, protocol, username }: URL): boolean {
  const name = trimEnd(hostname, ".");
  // An IP address has no top-level domain with a letter.
  const domain = /^[^[\]]*\.([^.]*[a-z][^.]*)$/.exec(name)?.[1];
  return protocol === "https:" && username === "" && password === "" && domain !== undefined &&
    !RESERVED_DOMAINS.has(domain) && networkScopeOf(hostname) === "public";
}
