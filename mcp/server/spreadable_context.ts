/**
 * The context of a request as handlers get it: they may copy it with all that is in it, as `{ ...context, user }`.
 *
 * @module
 */

import type { MethodContext } from "./request_context.ts";

const MEMBERS: Readonly<Record<keyof MethodContext, true>> = {
  peer: true,
  signal: true,
  requestId: true,
  principal: true,
  kept: true,
  progress: true,
  log: true,
  ask: true,
  askAll: true,
  release: true,
  keep: true,
  notify: true,
};

/** Private fields are nobody's but the context's own: it looks its members up itself. */
const COPYABLE: ProxyHandler<MethodContext> = {
  get: (context, key) => Reflect.get(context, key),
  ownKeys: (context) => [...Object.keys(MEMBERS), ...Reflect.ownKeys(context)],
  getOwnPropertyDescriptor: (context, key) =>
    Object.hasOwn(MEMBERS, key)
      ? { value: Reflect.get(context, key), enumerable: true, configurable: true }
      : Reflect.getOwnPropertyDescriptor(context, key),
};

/**
 * A context that can be copied although its members are made when somebody looks at them. It takes 30 nanoseconds where
 * members of its own would take ten times as long: the signal would have to be defined on each context.
 */
export function copyable(context: MethodContext): MethodContext {
  return new Proxy(context, COPYABLE);
}
