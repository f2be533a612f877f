/**
 * Limits of the ratios in `bench engines`: a positive value is a minimum, and a negative value `-n`
 * is a maximum of `n`.
 *
 * @module
 */

/** Limits, keyed by the name of the ratio. */
export const PROMISES = {
  messageClientCpuToHandMade: -1.4,
  messageServerCpuToHandMade: -3,
  cpuPgBossToHandMade: -1.5,
  storageKbPerRun: -12,
  takeoverSecondsP95: -17,
};
