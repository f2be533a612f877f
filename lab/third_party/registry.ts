/**
 * Finds out whether the npm registry has the package of a subject, if the subject does not start.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

const DEFAULT_REGISTRY = "https://registry.npmjs.org/";
const LIMIT_MS = 10_000;

/** Options for {@linkcode findRegistryProblem}. */
export interface RegistryOptions {
  /**
   * URL of the registry.
   *
   * @default {"https://registry.npmjs.org/"}
   */
  readonly registry?: string;
  /** Time allowed for the registry's response. */
  readonly limitMs?: number;
  /** Ends the request when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Asks the npm registry for the package of a subject. Returns the problem, or `undefined` if the
 * registry has the package or if the subject's packages come from another registry.
 */
export async function findRegistryProblem(
  subject: Pick<ThirdPartySubject, "package" | "version" | "build">,
  { registry = DEFAULT_REGISTRY, limitMs = LIMIT_MS, signal }: RegistryOptions,
): Promise<string | undefined> {
  if (subject.build !== undefined) return undefined;
  const [name = ""] = subject.package.split(", ");
  const [version = ""] = subject.version.split(", ");
  const limit = AbortSignal.timeout(limitMs);
  try {
    const url = new URL(`${name.replace("/", "%2f")}/${version}`, withSlash(registry));
    const response = await fetch(url, { signal: AbortSignal.any([signal, limit]) });
    await response.arrayBuffer();
    if (response.ok) return undefined;
    return response.status === 404
      ? `the registry ${registry} has no package ${name}@${version}`
      : `the registry ${registry} returns status ${response.status}`;
  } catch (error) {
    if (limit.aborted) return `the registry ${registry} sends no response within ${limitMs} ms`;
    return `the registry ${registry} cannot be reached: ${
      error instanceof Error ? error.message : error
    }`;
  }
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
