import type { Finding, Outcome, Step } from './stage.js';

const WIDTH = 100;

/** `text` in lines of the terminal, each behind `indent`. */
export function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((one) => `${indent}${one}`).join('\n');
}

/** What was seen in one step. */
export function told(title: string, step: Step, { flaw, cure, holdfast }: Outcome): string {
  const parts: [string, Finding][] = [
    [`flaw: ${step.flaw}`, flaw],
    [`cure: ${step.cure}`, cure],
    ['in holdfast', holdfast],
  ];
  const lines = parts.map(([heading, { seen, text }]) => {
    const finding = `${seen ? '→' : '✗ did not come out:'} ${text}`;
    return `${wrapped(heading, '   ')}\n${wrapped(finding, '     ')}`;
  });
  return [title, ...lines].join('\n');
}

/** All steps in a table. */
export function table(rows: readonly (readonly [number: number, step: Step, outcome: Outcome])[]): string {
  const cell = ({ seen, inShort }: Finding): string => (seen ? inShort : `NOT SEEN (${inShort})`);
  const lines = [
    ['', 'system', 'its flaw', 'cured', 'in holdfast'],
    ...rows.map(([number, { system }, { flaw, cure, holdfast }]) => [
      String(number),
      system,
      ...[flaw, cure, holdfast].map(cell),
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
  return padded.map((line) => line.trimEnd()).join('\n');
}
