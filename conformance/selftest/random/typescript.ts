/**
 * The TypeScript compiler. The only module of the kit that imports it; the published package does not contain the module.
 *
 * @module
 */

import ts from "typescript";

export { ts };
