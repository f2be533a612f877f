/**
 * The TypeScript compiler. The only kit module that imports the compiler; the published package
 * does not contain the module.
 *
 * @module
 */

import ts from "typescript";

export { ts };
