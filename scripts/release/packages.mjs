// What is published of the workspace: folders below packages/, in the order in which they go out. Those after the first are installed beside it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

export const published = ['holdfast', 'opentelemetry', 'nestjs'].map((folder) => ({
  folder: join(root, 'packages', folder),
  manifest: JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')),
}));
