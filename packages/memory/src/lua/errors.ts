import { ErrorReply } from '../server/reply.js';

/** An error of the script that nothing in it catches. Where in the script it was raised is not told, as a real server does behind the message. */
export function raised(message: string): ErrorReply {
  return new ErrorReply(`ERR user_script: ${message}`);
}

/** What this interpreter does not know is its own shortcoming, and no error that a script, or a client, may take for an answer. */
export class UnknownToLua extends Error {
  override readonly name = 'UnknownToLua';
}
