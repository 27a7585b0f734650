/** Evidence that holdfast is safe. Private: nothing imports this package. */
export { type AofVerdict, compareWithAof } from './aof/compare.js';
export { AofFormatError, readAof } from './aof/parse.js';
export { replay } from './aof/replay.js';
export { type FaultClass, type FaultClassName, faultClasses, faultClassOf } from './check/fault-classes.js';
export { checkIntervals, type Counts, type IntervalOptions, type Verdict } from './check/intervals.js';
export {
  checkLinearizability,
  type LinearizabilityOptions,
  type LinearizabilityVerdict,
} from './check/linearizability.js';
export { type Called, callReferee, type Referee, type RefereeVerdict } from './check/referee.js';
export { describeViolation, type Rule, type Violation } from './check/violation.js';
export { nowMicros } from './history/clock.js';
export type * from './history/event.js';
export { type History, HistoryFormatError, historyOf, parseHistory, readHistory } from './history/read.js';
export { type InvokeToRecord, Recorder, type RecorderOptions, type ToRecord } from './history/recorder.js';
export { truthOf, type Witness } from './history/truth.js';
