/**
 * A simulated world for the real client: virtual time, one seed for everything, faults, and judges at every step.
 *
 * @packageDocumentation
 */
export { scenarioOf, type ScenarioTerms } from './plan/draw.js';
export type { FaultKind, FaultPlan } from './plan/faults.js';
export { type Temper, type TemperName, temperNames } from './plan/tempers.js';
export type { OtherKind, Scenario, ScenarioClass, Scripts } from './plan/scenario.js';
export { type RunCounts, type RunOptions, type RunResult, runScenario } from './run.js';
export { type Shrunk, shrink } from './shrink.js';
export { inMacrotask } from './world/jobs.js';
export type { Rule, Violation } from './judges/violation.js';
