import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { compileFunction } from 'node:vm';
import { waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';

type Shutdown = (server: Server, client: { close(): Promise<void> }) => () => Promise<void>;

/** The function `shutDown` as the recipe has it; it has no types. */
function shutdownOf(recipe: string): Shutdown {
  const page = readFileSync(new URL(`../../../../docs/recipes/${recipe}.md`, import.meta.url), 'utf8');
  const [block] = /^const shutDown = async \(\) => \{\n[^]*?^\};$/m.exec(page) ?? [];
  return compileFunction(`${block}\nreturn shutDown;`, ['server', 'client']) as Shutdown;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listening(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.sendDate = false; // its timer would outlive the test
    setImmediate(() => response.end());
  });
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Sends its next request with each answer, as a busy proxy does: `Keep-Alive: timeout` is nothing to it. */
function busyCaller(server: Server) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const seen = { asked: 0, answered: 0 };
  let isEnded = false;
  const ask = () => {
    seen.asked++;
    socket.write('GET / HTTP/1.1\r\nHost: shop\r\n\r\n');
  };
  let text = '';
  socket.on('connect', ask).on('data', (chunk) => {
    text += String(chunk);
    if (!text.endsWith('\r\n\r\n')) return;
    seen.answered++;
    isEnded ||= /^connection: close\r$/im.test(text);
    text = '';
    if (isEnded) socket.end();
    else ask();
  });
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  return seen;
}

describe.each(['express', 'koa', 'hono'])('the shutdown of the recipe for %s', (recipe) => {
  it('ends behind a caller that is always busy, answers what it asks, and then closes the client', async () => {
    const server = await listening();
    let openConnections: number | undefined;
    const close = async () => {
      openConnections = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    };
    const seen = busyCaller(server);
    await waitUntil(() => seen.answered > 2, { what: 'a caller that is busy' });
    await once(server, 'request');
    await shutdownOf(recipe)(server, { close })();
    expect(openConnections).toBe(0);
    await waitUntil(() => seen.answered === seen.asked, { what: 'the last answer' });
  });
});
