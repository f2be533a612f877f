/**
 * Objects whose methods fail or wait.
 *
 * @module
 */

/** Returns an object that has other methods than the target. The other members are the target's. */
export function replaceMethods<T extends object>(target: T, methods: Partial<T> = {}): T {
  return new Proxy(target, {
    get(_, name): unknown {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
