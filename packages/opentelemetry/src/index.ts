/**
 * Metrics and traces of holdfast's locks for OpenTelemetry.
 *
 * Both are pure subscribers of what every copy of holdfast in the process publishes (`node:diagnostics_channel`): they need no client, may be
 * started before or after clients are made, and change nothing that a lock does. What throws in them goes to OpenTelemetry's `diag`, never to the
 * application.
 *
 * @packageDocumentation
 */
export { measureLocks, type MeasureOptions } from './metrics.js';
export type { Subscription } from './subscriptions.js';
export { traceLocks, type TraceOptions } from './spans.js';
export type { GroupOf } from './groups.js';
