/** A small server in each framework that a recipe is about, with the middleware of `examples/middleware`. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import express, { type NextFunction, type Request, type Response as ExpressResponse } from 'express';
import fastify from 'fastify';
import type { LockClient } from 'holdfast';
import { Hono } from 'hono';
import Koa from 'koa';
import { scopePerRequest as forExpress } from '../../../../examples/middleware/express.js';
import { scopePerRequest as forFastify } from '../../../../examples/middleware/fastify.js';
import { scopePerRequest as forHono } from '../../../../examples/middleware/hono.js';
import { scopePerRequest as forKoa } from '../../../../examples/middleware/koa.js';

/** What a handler answers with; a stream is sent while it is made. */
export type Answer = string | Readable;
/** By its path. What it throws is for the error handler of the application, which answers 500 and `handled: ` and the message. */
export type Handlers = Readonly<Record<string, () => Promise<Answer>>>;

export interface Site {
  readonly url: string;
  /** Ends it, also in the middle of a request. */
  close(): Promise<void>;
}

const handled = (error: unknown): string => `handled: ${error instanceof Error ? error.message : String(error)}`;

async function listening(server: Server): Promise<Site> {
  // Node keeps a timer for up to a second for what it last wrote as the date: a test would wait for its end.
  server.prependListener('request', (_request, response) => (response.sendDate = false));
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function inExpress(client: LockClient, handlers: Handlers): Promise<Site> {
  const app = express();
  app.use(forExpress(client));
  for (const [path, handler] of Object.entries(handlers)) {
    app.get(path, async (_request, response) => {
      const answer = await handler();
      if (typeof answer === 'string') response.send(answer);
      else answer.pipe(response);
    });
  }
  // Express knows an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: ExpressResponse, _next: NextFunction) => {
    response.status(500).send(handled(error));
  });
  return listening(createServer(app));
}

async function inFastify(client: LockClient, handlers: Handlers): Promise<Site> {
  const app = fastify();
  app.addHook('preHandler', forFastify(client));
  app.setErrorHandler((error, _request, reply) => reply.code(500).send(handled(error)));
  for (const [path, handler] of Object.entries(handlers)) app.get(path, async () => handler());
  await app.listen({ port: 0, host: '127.0.0.1' });
  return listening(app.server);
}

function inKoa(client: LockClient, handlers: Handlers): Promise<Site> {
  const app = new Koa();
  app.use(async (context, next) => {
    try {
      await next();
    } catch (error) {
      context.status = 500;
      context.body = handled(error);
    }
  });
  app.use(forKoa(client));
  app.use(async (context) => {
    context.body = await handlers[context.path]?.();
  });
  const answer = app.callback();
  return listening(createServer((request, response) => void answer(request, response)));
}

function inHono(client: LockClient, handlers: Handlers): Promise<Site> {
  const app = new Hono();
  app.use(forHono(client));
  app.onError((error, context) => context.text(handled(error), 500));
  for (const [path, handler] of Object.entries(handlers)) {
    app.get(path, async (context) => {
      const answer = await handler();
      return typeof answer === 'string' ? context.text(answer) : new Response(Readable.toWeb(answer) as ReadableStream);
    });
  }
  const answer = getRequestListener(app.fetch);
  return listening(createServer((request, response) => void answer(request, response)));
}

/** By the name of the framework, as its recipe has it. */
export const frameworks = { express: inExpress, fastify: inFastify, koa: inKoa, hono: inHono };
