/**
 * The TypeScript in the documents, as modules that can be compiled and run.
 *
 * A block that opens with ```` ```ts ```` is a whole module: it imports what it uses and ends by itself. `redisUrl` is declared for it, and
 * the address that documents show, `redis://localhost:6379`, stands for the test's server. ```` ```ts no-run ```` is compiled only: for
 * what would disturb others, or needs something that a test does not have.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundlePrograms } from '@holdfast/testkit';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
const run = promisify(execFile);

const tsconfig = {
  extends: join(root, 'tsconfig.base.json'),
  include: ['*.ts'],
  compilerOptions: {
    ...{ composite: false, declaration: false, declarationMap: false, noEmit: true },
    // As NestJS wants it, which has decorators on parameters; nothing else in the documents has any.
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true },
    // An example may show a value without using it.
    ...{ noUnusedLocals: false, noUnusedParameters: false },
  },
};

export interface CodeBlock {
  /** Where it stands, e.g. `README.md:30`. */
  readonly place: string;
  /** Line of the document that the opening fence stands on, counted from 1. */
  readonly line: number;
  readonly code: string;
  readonly runs: boolean;
}

/** @throws Error for a fence that this convention does not know, or that is never closed. */
export function blocksIn(document: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { mark: string; info: string; line: number; code: string[] } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const fence = /^\s*(`{3,})\s*(.*?)\s*$/.exec(text);
    if (open === undefined) {
      if (fence?.[1] !== undefined) open = { mark: fence[1], info: fence[2] ?? '', line: index + 1, code: [] };
    } else if (fence?.[1] === open.mark && fence[2] === '') {
      const place = `${document}:${open.line}`;
      if (/^(ts|typescript)\b/.test(open.info)) {
        if (open.info !== 'ts' && open.info !== 'ts no-run') throw new Error(`${place}: unknown fence "${open.info}"`);
        blocks.push({ place, line: open.line, code: open.code.join('\n'), runs: open.info === 'ts' });
      }
      open = undefined;
    } else {
      open.code.push(text);
    }
  }
  if (open !== undefined) throw new Error(`${document}:${open.line}: the block is never closed`);
  return blocks;
}

/** The blocks of README.md, of everything below docs/, and of the packages' readmes: that of the published one is made from README.md. */
export function allBlocks(): CodeBlock[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`);
  const rooms = readdirSync(join(root, 'packages')).filter((name) => name !== 'holdfast');
  const readmes = rooms.map((name) => `packages/${name}/README.md`);
  return ['README.md', ...docs.filter((file) => file.endsWith('.md')).sort(), ...readmes].flatMap((document) => {
    const file = join(root, document);
    return existsSync(file) ? blocksIn(document, readFileSync(file, 'utf8')) : [];
  });
}

/** Blocks written to files inside the package, where `holdfast` and `ioredis` resolve as for its tests. */
export class WrittenBlocks {
  readonly #folder: string;
  readonly #files = new Map<CodeBlock, string>();

  constructor(blocks: readonly CodeBlock[], redisUrl: string) {
    mkdirSync(join(packageFolder, '.tmp'), { recursive: true });
    this.#folder = mkdtempSync(join(packageFolder, '.tmp', 'docs-'));
    writeFileSync(join(this.#folder, 'globals.d.ts'), 'declare const redisUrl: string;\n');
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    for (const [index, block] of blocks.entries()) {
      const file = join(this.#folder, `block-${index}.ts`);
      // A module, also without imports; on the first line, so that line n of the file is line n after the fence.
      writeFileSync(file, `export {}; ${block.code.replaceAll('redis://localhost:6379', redisUrl)}\n`);
      this.#files.set(block, file);
    }
  }

  /** Makes the blocks that run into programs. */
  async bundle(): Promise<void> {
    const files = [...this.#files].filter(([{ runs }]) => runs).map(([, file]) => file);
    await bundlePrograms(files, this.#folder);
  }

  /** A block as Node.js can run it, when they are bundled. */
  programOf(block: CodeBlock): string {
    const file = this.#files.get(block);
    if (file === undefined) throw new Error(`${block.place} was not written`);
    return file.replace(/\.ts$/, '.mjs');
  }

  /** What the compiler has against the blocks, by block. */
  async diagnostics(): Promise<Map<CodeBlock, string[]>> {
    const blocks = new Map([...this.#files].map(([block, file]) => [basename(file), block]));
    const found = new Map([...this.#files.keys()].map((block) => [block, [] as string[]]));
    for (const [, file, line, problem] of (await this.#compile()).matchAll(/^(?:.*\/)?(.+?)\((\d+),\d+\): (.*)$/gm)) {
      const block = blocks.get(file ?? '');
      if (block === undefined) throw new Error(`not a block: ${file} ${problem}`);
      found.get(block)?.push(`line ${block.line + Number(line)}: ${problem}`);
    }
    return found;
  }

  /** What the compiler prints: a line begins with place and problem, or goes on. */
  async #compile(): Promise<string> {
    try {
      await run(process.execPath, [compiler, '--project', this.#folder, '--pretty', 'false', '--singleThreaded'], {
        maxBuffer: 2 ** 24,
      });
      return '';
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      if (!stdout) throw new Error(`The compiler says nothing of the blocks: ${stderr}`, { cause: error });
      return stdout;
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
