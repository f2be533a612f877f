/**
 * Measures the first agent run in this process: its processor time in milliseconds, which the
 * program prints. All modules are loaded before.
 *
 *     first_run.ts SUBJECT
 *
 * @module
 */

import { cpuUsedUs } from "../measure.ts";
import { SUBJECTS } from "./subjects.ts";

const [name = ""] = Deno.args;
const subject = SUBJECTS[name];
if (subject === undefined) throw new Error(`Unknown subject "${name}"`);
const startedUs = cpuUsedUs();
const run = await subject({ iterations: 10, calls: 1, history: 0, payload: 100 });
await run();
console.log((cpuUsedUs() - startedUs) / 1000);
