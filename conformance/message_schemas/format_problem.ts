/**
 * Text about the problems that the schemas find.
 *
 * @module
 */

import type { SchemaProblem } from "../kit/schema.ts";

/** Formats a problem with its path in the notation of the kit, such as `$.params.list[0]`. */
export function formatProblem({ path, message }: SchemaProblem): string {
  const steps = path.split("/").slice(1).map((step) => {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) return `[${name}]`;
    return /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `$${steps.join("")}: ${message}`;
}
