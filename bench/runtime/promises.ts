/**
 * Limits of the ratios in `bench runtime`: a positive value is a minimum, and a negative value `-n`
 * is a maximum of `n`.
 *
 * @module
 */

/** Limits, keyed by the name of the ratio. */
export const PROMISES = {
  iterationToHandMade: -1.5,
  eightCallsToHandMade: -1.5,
  iterations1000ToHandMade: -1.5,
  kbPerIteration: -6,
  firstRunToHandMade: -3.5,
  prepareIterationToHandMade: -0.5,
  outputToolToHandMade: -0.5,
  outputNativeToHandMade: -0.5,
  aroundToHandMade: -0.5,
  history10000To10: -1.05,
  tools1000To1: -1.2,
  sessionTurn1000To10: -3,
  recordedSessionTurn1000To10: -3,
  fileSessionTurn1000To10: -3,
  serverTurn5000To10: -3,
  sqliteServerTurn5000To10: -3,
  newSession1000To10: -1.5,
  sqliteNewSession1000To10: -1.5,
  journalStepToHandMade: -1.5,
  journalStep1000To10: -1.2,
  channelDeepToEmpty: -2,
  readers100To1: -1,
  sqliteReaders100To1: -1,
  a2aToHandMade: -2.5,
  a2aHttpToHandMade: -2.5,
  a2aStreamToHandMade: -2.5,
  chatCompletionsToHandMade: -2.5,
  responsesToHandMade: -2.5,
  uiChatToHandMade: -2.5,
  kbPerAgent: -3.5,
  aiToParley: 20,
  aiToParleyValidating: 5,
  retainedParleyToAi: -0.4,
  validationToCfworker: -0.5,
  hostileValidationToJsonParse: -20,
};
