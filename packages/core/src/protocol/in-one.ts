import { answerTo } from './question.js';
import { Reply } from './reply.js';
import type { Call, Script } from './script-port.js';

/** One call of several commands: `script` has their keys and arguments one after the other, and a reply for each. */
export function inOne(script: Script, commands: readonly Call<unknown>[]): Call<readonly unknown[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const single of commands) {
    keys.push(...single.keys);
    args.push(...single.args);
  }
  return {
    script,
    keys,
    args,
    decode: (raw) => {
      const reply = new Reply(script.name, raw).hasLength(commands.length);
      return commands.map((single, index) => single.decode(answerTo('', script.name, reply.item(index))));
    },
  };
}
