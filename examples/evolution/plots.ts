// The pictures of docs/guide.md, from what a tour has measured: npm run evolution -- --record docs/guide
import { type Delays, type Figures, type Interval, type Load, perSecond } from './stage.js';

const WIDTH = 760;
const box = { left: 70, right: 620, top: 46, bottom: 330 };
const [blue, orange, green, red] = ['#1971c2', '#e8590c', '#2f9e44', '#d6336c'] as const;
/** The same in each picture. */
const colors: Record<string, string> = {
  'polling (4)': blue,
  'spinning (8)': orange,
  'notified (9)': green,
  holdfast: red,
};

/** A file for each picture that there are figures for. */
export function plots({ outlived, loads, delays, handover }: Figures): Record<string, string> {
  return {
    ...(outlived && { 'outlived.svg': timeline(outlived) }),
    ...(loads && { 'load.svg': loadPlot(loads) }),
    ...(delays && delays.every(({ sortedMs }) => sortedMs.length > 0) && { 'wake-up.svg': delayPlot(delays) }),
    ...(handover && { 'handover.svg': handoverPlot(handover) }),
  };
}

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}" font-family="sans-serif" font-size="12" fill="#343a40" ${more}>${words}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number, color = '#ced4da'): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${color}"/>`;
const bar = (x: number, y: number, width: number, height: number, color: string): string =>
  `<rect x="${x}" y="${y}" width="${Math.max(1, width)}" height="${height}" fill="${color}"/>`;

function picture(title: string, parts: readonly string[], height = 380): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">`;
  const rounded = parts.map((part) => part.replaceAll(/\d+\.\d{2,}/g, (number) => Number(number).toFixed(1)));
  const heading = text(box.left, 24, title, 'font-weight="bold"');
  return [head, bar(0, 0, WIDTH, height, '#ffffff'), heading, ...rounded, '</svg>\n'].join('\n');
}

/** Places on an axis of powers of ten; what is below the first stands at its beginning. */
function logAxis(least: number, most: number, from: number, to: number): (value: number) => number {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  return (value) => from + ((Math.log10(Math.max(value, least)) - low) / (high - low)) * (to - from);
}

const powersOfTen = (least: number, most: number): number[] =>
  Array.from({ length: Math.round(Math.log10(most / least)) + 1 }, (_, power) => least * 10 ** power);

function loadPlot(loads: readonly Load[]): string {
  const [least, most] = [0.1, 10_000];
  const crowds = [...new Set(loads.map(({ waiters }) => waiters))].sort((a, b) => a - b);
  const x = logAxis(crowds[0] ?? 1, (crowds.at(-1) ?? 10) + 0.001, box.left, box.right);
  const y = logAxis(least, most, box.bottom, box.top);
  const scale = powersOfTen(least, most).map(
    (value) =>
      line(box.left, y(value), box.right, y(value)) +
      text(box.left - 8, y(value) + 4, value === least ? '0' : String(value), 'text-anchor="end"'),
  );
  const below = crowds.map((waiters) => text(x(waiters), box.bottom + 20, String(waiters), 'text-anchor="middle"'));
  const kinds = [...new Set(loads.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const points = loads
      .filter((load) => load.kind === kind)
      .sort((a, b) => a.waiters - b.waiters)
      .map((load) => [x(load.waiters), y(perSecond(load))] as const);
    const color = colors[kind] ?? '';
    // Two lines lie upon each other where nothing is asked: the later is dashed.
    const dash = kind === 'holdfast' ? 'stroke-dasharray="8 6"' : '';
    const [, height] = points.at(-1) ?? [0, 0];
    const path = points.map((point) => point.join(',')).join(' ');
    const dots = points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`);
    const shift = kind === 'holdfast' && height > box.bottom - 10 ? 20 : 4;
    const name = text(box.right + 10, height + shift, kind, `style="fill:${color}"`);
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2" ${dash}/>${dots.join('')}${name}`;
  });
  const axis = text((box.left + box.right) / 2, box.bottom + 40, 'processes that wait', 'text-anchor="middle"');
  return picture('Requests per second to Redis while one lock is held', [...scale, ...below, ...lines, axis]);
}

function delayPlot(delays: readonly Delays[]): string {
  const [least, most] = [0.1, 1_000];
  const x = logAxis(least, most, box.left + 80, box.right);
  const scale = powersOfTen(least, most).map(
    (value) =>
      line(x(value), box.top, x(value), box.bottom) +
      text(x(value), box.bottom + 20, String(value), 'text-anchor="middle"'),
  );
  const rows = delays.map(({ kind, sortedMs }, index) => {
    const [top, color] = [box.top + 16 + index * 68, colors[kind] ?? ''];
    const [median, longest] = [sortedMs[Math.floor(sortedMs.length / 2)] ?? 0, sortedMs.at(-1) ?? 0];
    const tip =
      line(x(median), top + 18, x(longest), top + 18, color) + line(x(longest), top + 8, x(longest), top + 28, color);
    const figures = text(x(longest) + 8, top + 22, `${median.toFixed(1)} ms, at most ${longest.toFixed(1)}`);
    const name = text(box.left + 70, top + 22, kind, 'text-anchor="end"');
    return bar(x(least), top, x(median) - x(least), 36, color) + tip + figures + name;
  });
  const axis = text(
    (box.left + box.right) / 2,
    box.bottom + 40,
    'milliseconds: median, and the longest',
    'text-anchor="middle"',
  );
  return picture('From a release to the next owner, which has waited for a while', [...scale, ...rows, axis]);
}

function timeline({ leaseMs, a, b }: { leaseMs: number; a: Interval; b: Interval }): string {
  const end = Math.max(a[1], b[1]);
  const x = (ms: number) => box.left + (ms / end) * (box.right - box.left);
  const row = (name: string, [from, to]: Interval, top: number, color: string) =>
    text(box.left - 10, top + 24, name, 'text-anchor="end"') + bar(x(from), top, x(to) - x(from), 40, color);
  const both = bar(x(b[0]), 60, x(Math.min(a[1], b[1])) - x(b[0]), 190, '#ffc9c9');
  const overlap = Math.round(Math.min(a[1], b[1]) - b[0]);
  return picture(
    'Work that is longer than its lease (system 4)',
    [
      both,
      row('A', a, 90, blue),
      row('B', b, 170, orange),
      line(x(leaseMs), 60, x(leaseMs), 260, '#343a40'),
      text(x(leaseMs) - 8, 280, `the lease of A is over: ${leaseMs} ms`, 'text-anchor="middle"'),
      text(x(b[0]) + 6, 76, `two at work: ${overlap} ms`),
    ],
    300,
  );
}

function handoverPlot({ waiters, herd, named }: { waiters: number; herd: number; named: number }): string {
  const x = (requests: number) => box.left + 80 + (requests / herd) * (box.right - box.left - 80);
  const row = (name: string, requests: number, top: number, color: string) =>
    text(box.left + 70, top + 30, name, 'text-anchor="end"') +
    bar(x(0), top, x(requests) - x(0), 48, color) +
    text(x(requests) + 8, top + 30, String(requests));
  return picture(
    `Requests to Redis for one handover, ${waiters} processes waiting`,
    [row('notified (9)', herd, 60, green), row('holdfast', named, 140, red)],
    220,
  );
}
