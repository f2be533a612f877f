/** x
 * @module
 */
export { readMcpConfig, type ReadMcpConfigOptions, type SpawnCommand } from "./clients/read_mcp_config.ts";
