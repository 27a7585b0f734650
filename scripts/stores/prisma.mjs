import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const schema = `
generator client {
  provider     = "prisma-client"
  output       = "./generated"
  moduleFormat = "esm"
}
datasource db {
  provider = "postgresql"
}
model report {
  id    Int    @id
  title String
  fence BigInt
}
model account {
  id      Int @id
  balance Int
}
`;

export async function open({ host, user, database }) {
  writeFileSync('schema.prisma', schema);
  // It would fetch an engine for migrations first, which generating a client has no use for.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  const prismaCommand = ['node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma'];
  const generated = spawnSync(process.execPath, prismaCommand, { stdio: ['ignore', 2, 2], env });
  if (generated.status !== 0) throw new Error('prisma generate has failed');
  const { tsImport } = await import('tsx/esm/api');
  const { PrismaClient } = await tsImport('./generated/client.ts', import.meta.url);
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const prisma = new PrismaClient({ adapter: new PrismaPg({ host, user, database }) });
  return { scope: { prisma }, tokenOf: BigInt, isStale: (count) => count === 0, close: () => prisma.$disconnect() };
}
