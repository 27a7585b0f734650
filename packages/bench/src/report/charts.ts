import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type Figure, figures } from '../measure/figures.js';
import { subject } from '../peers/roster.js';
import type { GrowthPlot, Workload } from '../workloads/workload.js';
import type { CaseResult, WorkloadResult } from './results.js';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** A picture of the report. */
export interface Chart {
  readonly file: string;
  readonly about: string;
  readonly svg: string;
}

const WIDTH = 860;
const HEIGHT = 440;
/** One colour for each peer in every chart; holdfast's stands out. */
const colors = ['#d6336c', '#1971c2', '#2f9e44', '#e8590c', '#6741d9', '#0c8599', '#f08c00', '#5c940d'];
const greys = ['#495057', '#868e96', '#ced4da'];

const grid = { left: 70, right: 24, top: 48, bottom: 112 };

const frame = {
  animation: false,
  backgroundColor: '#ffffff',
  // The widths of words are only guessed without a browser: room for wider ones.
  legend: { bottom: 0, itemWidth: 14, itemGap: 24, textStyle: { fontSize: 10 } },
  grid,
};

/** What a mouse would change, and the names for it, which are others in each run: a page shows these as images, and a diff is to show what was measured. */
const FOR_A_MOUSE = / class="zr[^"]*"|<style >.*?<\/style>\n?/gs;

function draw(option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({ ...frame, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg.replace(FOR_A_MOUSE, '')}\n`;
}

function peersOf(cases: readonly CaseResult[]): { name: string; color: string }[] {
  const names = [...new Set(cases.flatMap(({ peers }) => peers.map(({ peer }) => peer)))];
  const isFloor = (name: string) => name.startsWith('floor');
  const [locks, floors] = [names.filter((name) => !isFloor(name)), names.filter(isFloor)];
  return [
    ...locks.map((name, index) => ({ name, color: colors[index % colors.length] ?? '' })),
    ...floors.map((name, index) => ({ name, color: greys[index % greys.length] ?? '' })),
  ];
}

const valueOf = (testCase: CaseResult, peer: string, figure: Figure): number | undefined =>
  testCase.peers.find((candidate) => candidate.peer === peer)?.figures[figure]?.median;

const logAxis = (name: string) => ({
  type: 'log' as const,
  name,
  nameLocation: 'middle' as const,
  nameGap: 50,
  minorSplitLine: { show: false },
});

function rateChart(workload: Workload, figure: Figure, cases: readonly CaseResult[]): string {
  return draw({
    title: { text: `${workload.title}: ${figures[figure].title}`, textStyle: { fontSize: 14 } },
    xAxis: {
      type: 'category',
      data: cases.map(({ label }) => label),
      axisLabel: {
        interval: 0,
        fontSize: 10,
        width: (WIDTH - grid.left - grid.right) / cases.length - 8,
        overflow: 'break',
      },
    },
    yAxis: logAxis(`${figures[figure].title} (more is better)`),
    series: peersOf(cases).map(({ name, color }) => ({
      type: 'bar',
      name,
      color,
      data: cases.map((testCase) => valueOf(testCase, name, figure) ?? null),
    })),
  });
}

function growthChart(workload: Workload, plot: GrowthPlot, figure: Figure, cases: readonly CaseResult[]): string {
  return draw({
    title: { text: `${workload.title}: ${figures[figure].title}`, textStyle: { fontSize: 14 } },
    xAxis: { ...logAxis(plot.x), nameGap: 26 },
    yAxis: logAxis(`${figures[figure].title} (less is better)`),
    series: peersOf(cases).map(({ name, color }) => ({
      type: 'line',
      name,
      color,
      symbolSize: 6,
      lineStyle: { width: name === subject ? 3 : 1.5 },
      data: cases.flatMap((testCase) => {
        const y = valueOf(testCase, name, figure);
        return y === undefined || y <= 0 ? [] : [[testCase.x, y]];
      }),
    })),
  });
}

/** The pictures of one workload: who is how fast, and how costs grow. */
export function chartsOf(workload: Workload, { cases }: WorkloadResult): Chart[] {
  const charts: Chart[] = [];
  const { name, rate, growth } = workload;
  if (rate !== undefined) {
    charts.push({ file: `${name}.svg`, about: figures[rate].title, svg: rateChart(workload, rate, cases) });
  }
  const growing = cases.filter(({ x }) => x !== undefined);
  if (growth === undefined || growing.length < 2) return charts;
  for (const figure of growth.figures) {
    const svg = growthChart(workload, growth, figure, growing);
    charts.push({ file: `${name}-${figure}.svg`, about: `${figures[figure].title} by ${growth.x}`, svg });
  }
  return charts;
}
