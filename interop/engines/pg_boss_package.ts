/**
 * Exports pg-boss so that a test can bundle the package for Node.js.
 *
 * @module
 */

export { PgBoss } from "pg-boss";
