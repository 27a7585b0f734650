/** @throws TypeError for an option that there is not, or one of the wrong kind: neither must be passed over. */
export function checkOptions(
  of: string,
  options: unknown,
  [provider, method]: readonly ['meterProvider', 'getMeter'] | readonly ['tracerProvider', 'getTracer'],
): void {
  if (!isObject(options)) throw new TypeError(`${of}: options must be an object`);
  if ('getLock' in options) throw new TypeError(`${of}: it takes no client, and hears of all clients in the process`);
  const { group, [provider]: given, ...others } = options;
  for (const key of Object.keys(others)) throw new TypeError(`${of}: unknown option "${key}"`);
  if (group !== undefined && typeof group !== 'function')
    throw new TypeError(`${of}: group must be a function of the name of a lock`);
  if (given !== undefined && !(isObject(given) && typeof given[method] === 'function'))
    throw new TypeError(`${of}: ${provider} must have ${method}()`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
