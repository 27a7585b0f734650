/** What a server answers: a status or a text, a number, nothing, a list of these, or a refusal. */
export type Reply = string | number | null | readonly Reply[] | ErrorReply;

/** An error reply. Its message begins with its code, as `WRONGTYPE Operation against …` does. */
export class ErrorReply extends Error {
  override readonly name = 'ErrorReply';
}

/** The error reply that was thrown; anything else is a bug of this package and goes on. */
export function refusalOf(error: unknown): ErrorReply {
  if (error instanceof ErrorReply) return error;
  throw error;
}

/** Of a command that is sent to a key of another type. */
export function wrongType(): ErrorReply {
  return new ErrorReply('WRONGTYPE Operation against a key holding the wrong kind of value');
}

/** Of an argument that should be a whole number. */
export function notAnInteger(): ErrorReply {
  return new ErrorReply('ERR value is not an integer or out of range');
}
