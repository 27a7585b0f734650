import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context } from '@opentelemetry/api';

/**
 * What a tracing channel binds to the start of a section, so that the section runs in an OpenTelemetry context. The context lives where the
 * application's context manager keeps it, which the API does not tell; a channel only ever calls `run`, and that goes there.
 */
export class ActiveContext extends AsyncLocalStorage<Context> {
  override run<R, A extends unknown[]>(active: Context, work: (...args: A) => R, ...args: A): R {
    return context.with(active, work, undefined, ...args);
  }
}
