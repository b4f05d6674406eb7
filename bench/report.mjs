// Collects the results: JSON lines during the measurement, tables of medians at the end.
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure/percentiles.mjs';

const FOLDER = fileURLToPath(new URL('../.tools/bench', import.meta.url));

/** @typedef {{ count: number, perSecond: number, cpuServer: number | null, cpuPostgres: number | null, p50: number, p99: number, cpuLoad: number, stolen: number | null }} HttpFigures */
/** @typedef {{ count: number, acceptedPerSecond: number, deliveredPerSecond: number, cpu: number | null, p50: number, p99: number, cpuLoad: number, stolen: number | null, wayP50?: number, wayP99?: number }} RelayFigures `way…`: from client to sink; `stolen`: share of processor time taken by the host */
/** @typedef {{ scenario: string, system: string, against?: string, workload?: string, pair: number, [figure: string]: unknown }} Row */

/**
 * The goals: ratio of Postloft to the peer, and the floor below which a release is refused.
 * @type {{ row: number, what: string, floor: number, goal: number, lower?: boolean, of: (report: Report) => Ratio | null }[]}
 */
const GOALS = [
  {
    row: 1,
    what: 'HTTP accept / bare Fastify with the same group commit',
    floor: 0.35,
    goal: 0.55,
    of: (report) =>
      report.ratio({ scenario: 'http', system: 'gateway' }, { scenario: 'http', system: 'fastify' }, 'perSecond'),
  },
  {
    row: 4,
    what: 'SMTP accept, 5 KB, 10 sessions / smtp-server with one flushed file per message',
    floor: 0.8,
    goal: 1.5,
    of: (report) =>
      report.ratio(
        { scenario: 'submission', system: 'relay' },
        { scenario: 'submission', system: 'smtp-server' },
        'perSecond',
      ),
  },
  relayGoal({ row: 5, floor: 2, goal: 4 }, 'Postloft', '5 KB, 10 sessions'),
  relayGoal({ row: 5, floor: 2, goal: 4 }, 'Postloft', '5 KB, 50 sessions'),
  relayGoal({ row: 6, floor: 1.3, goal: 2.5 }, 'Postloft+RSA', '5 KB, 10 sessions'),
  relayGoal({ row: 6, floor: 1.3, goal: 2.5 }, 'Postloft+RSA', '5 KB, 50 sessions'),
  relayGoal({ row: 7, floor: 1, goal: 2 }, 'Postloft', '100 KB, 10 sessions'),
  relayGoal({ row: 8, floor: 1, goal: 1.4 }, 'Postloft', '5 KB, 1 session'),
  {
    row: 10,
    what: 'CPU per message with PostgreSQL, 5 KB, 10 sessions, RSA-2048 / Postfix unsigned',
    floor: 0.7,
    goal: 0.4,
    lower: true,
    of: (report) => report.relayRatio('Postloft+RSA', '5 KB, 10 sessions', 'cpu'),
  },
  wayGoal('p50', 'wayP50'),
  wayGoal('p99', 'wayP99'),
];

/** @param {{ row: number, floor: number, goal: number }} bounds @param {string} system @param {string} workload */
function relayGoal(bounds, system, workload) {
  const dkim = system === 'Postloft' ? 'DKIM off' : 'RSA-2048';
  return {
    what: `delivered/s, ${workload}, ${dkim} / Postfix`,
    ...bounds,
    of: (/** @type {Report} */ report) => report.relayRatio(system, workload, 'deliveredPerSecond'),
  };
}

/** @param {string} name @param {string} figure @returns {(typeof GOALS)[number]} */
function wayGoal(name, figure) {
  return {
    row: 11,
    what: `client to sink at a steady rate, ${name} / Postfix`,
    floor: 2,
    goal: 1,
    lower: true,
    of: (/** @type {Report} */ report) =>
      report.ratio({ scenario: 'latency', system: 'Postloft' }, { scenario: 'latency', system: 'Postfix' }, figure),
  };
}

/** The first page of a list by any filter, with a million messages in the account. */
const LIST_GOAL_MS = 50;

/** @typedef {{ median: number, least: number, most: number }} Ratio of consecutive runs */

export class Report {
  /** @type {Row[]} */ rows = [];
  /** @type {string[]} */ notes = [];

  constructor() {
    mkdirSync(FOLDER, { recursive: true });
    this.file = join(FOLDER, `${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`);
    this.write({ machine: machine(), node: process.version, at: new Date().toISOString() });
  }

  /** @param {Row} row @returns {Row} */
  add(row) {
    this.rows.push(row);
    this.write(row);
    console.log(oneLine(row));
    return row;
  }

  /** Removes rows of runs that the host disturbed. @param {Row[]} rows */
  drop(rows) {
    if (rows.length === 0) return;
    this.rows = this.rows.filter((row) => !rows.includes(row));
    const [{ scenario, workload }] = rows;
    const pairs = [...new Set(rows.map(({ pair }) => pair))].sort((a, b) => a - b);
    this.write({ dropped: pairs, scenario, workload });
    console.log(`  not counted, the host was busy: ${pairs.map((pair) => `#${pair}`).join(', ')}`);
  }

  /** @param {string} sentence */
  note(sentence) {
    this.notes.push(sentence);
    this.write({ note: sentence });
    console.log(sentence);
  }

  /** @param {object} line */
  write(line) {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  /** @param {Partial<Row>} wanted @returns {Row[]} */
  select(wanted) {
    return this.rows.filter((row) => Object.entries(wanted).every(([name, value]) => row[name] === value));
  }

  /** @param {Partial<Row>} wanted @param {string} figure @returns {number | null} */
  median(wanted, figure) {
    const values = this.select(wanted)
      .map((row) => row[figure])
      .filter((value) => typeof value === 'number');
    return values.length === 0 ? null : median(values);
  }

  /** Ratios of consecutive runs, so that a temporary slow-down affects both. @param {Partial<Row>} own @param {Partial<Row>} peer @param {string} figure @returns {Ratio | null} */
  ratio(own, peer, figure) {
    const ratios = this.select(own).flatMap((row) => {
      const [other] = this.select({ ...peer, pair: row.pair });
      const [a, b] = [row[figure], other?.[figure]];
      return typeof a === 'number' && typeof b === 'number' && b > 0 ? [a / b] : [];
    });
    return ratios.length === 0
      ? null
      : { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  }

  /** @param {string} system @param {string} workload @param {string} figure */
  relayRatio(system, workload, figure) {
    const both = { scenario: 'relay', against: system, workload };
    return this.ratio({ ...both, system }, { ...both, system: 'Postfix' }, figure);
  }

  /** The tables as Markdown, also for docs/benchmarks.md. */
  summary() {
    return [
      ...this.httpTable(),
      ...this.submissionTable(),
      ...this.relayTable(),
      ...this.latencyTable(),
      ...this.listTable(),
      ...this.goalsTable(),
      ...this.hostLine(),
      ...this.notes,
      `JSON lines: ${this.file}`,
    ].join('\n');
  }

  httpTable() {
    return this.acceptTable({ scenario: 'http', title: 'HTTP accept', peer: 'fastify', own: 'gateway' });
  }

  submissionTable() {
    return this.acceptTable({ scenario: 'submission', title: 'SMTP accept', peer: 'smtp-server', own: 'relay' });
  }

  /** @param {{ scenario: string, title: string, peer: string, own: string }} what */
  acceptTable({ scenario, title, peer, own }) {
    const systems = [peer, own, 'standalone'].filter((system) => this.select({ scenario, system }).length > 0);
    if (systems.length === 0) return [];
    const lines = systems.map((system) => {
      const of = (/** @type {string} */ figure, digits = 2) => shown(this.median({ scenario, system }, figure), digits);
      const ratio = this.ratio({ scenario, system }, { scenario, system: peer }, 'perSecond');
      return `| ${system} | ${of('perSecond', 0)} | ${system === peer ? '1' : shownRatio(ratio)} | ${of('cpuServer', 3)} | ${of('cpuPostgres', 3)} | ${of('p50', 1)} / ${of('p99', 1)} |`;
    });
    return [
      '',
      `| ${title} | messages/s | ratio to ${peer} | CPU s/1000, server | CPU s/1000, PostgreSQL | p50 / p99 ms |`,
      '| --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ];
  }

  relayTable() {
    const groups = new Map(this.select({ scenario: 'relay' }).map((row) => [`${row.against} ${row.workload}`, row]));
    if (groups.size === 0) return [];
    const lines = [...groups.values()].flatMap(({ against, workload }) =>
      ['Postfix', String(against)].map((system) => this.relayLine({ system, against, workload })),
    );
    return [
      '',
      '| relay | system | accepted/s | delivered/s | ratio to Postfix | CPU s/1000 | ratio | accept p50 / p99 ms | peak MiB |',
      '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ];
  }

  /** @param {{ system: string, against?: string, workload?: string }} which */
  relayLine({ system, against, workload }) {
    const of = (/** @type {string} */ figure, digits = 2) =>
      shown(this.median({ scenario: 'relay', system, against, workload }, figure), digits);
    const isPostloft = system !== 'Postfix';
    const ratio = (/** @type {string} */ figure) =>
      isPostloft ? shownRatio(this.relayRatio(system, String(workload), figure)) : '1';
    const memory = shown(this.median({ scenario: 'memory', system, against, workload }, 'peakMiB'), 0);
    return `| ${workload} | ${system} | ${of('acceptedPerSecond', 0)} | ${of('deliveredPerSecond', 0)} | ${ratio('deliveredPerSecond')} | ${of('cpu')} | ${ratio('cpu')} | ${of('p50', 1)} / ${of('p99', 1)} | ${memory} |`;
  }

  latencyTable() {
    const lines = ['Postfix', 'Postloft'].flatMap((system) => {
      const rows = this.select({ scenario: 'latency', system });
      const of = (/** @type {string} */ figure) => shown(this.median({ scenario: 'latency', system }, figure), 1);
      return rows.length === 0
        ? []
        : [`| ${rows[0].workload} | ${system} | ${of('p50')} / ${of('p99')} | ${of('wayP50')} / ${of('wayP99')} |`];
    });
    if (lines.length === 0) return [];
    return [
      '',
      '| steady rate | system | accept p50 / p99 ms | to the sink p50 / p99 ms |',
      '| --- | --- | --- | --- |',
      ...lines,
      '',
    ];
  }

  listTable() {
    const rows = this.select({ scenario: 'list' });
    if (rows.length === 0) return [];
    const lines = rows.map(({ filter, matches, p50, p95 }) => {
      const note = Number(p50) <= LIST_GOAL_MS ? '' : `ABOVE ${LIST_GOAL_MS} ms`;
      return `| ${String(filter)} | ${String(matches)} | ${shown(Number(p50), 1)} | ${shown(Number(p95), 1)} | ${note} |`;
    });
    return [
      '',
      '| GET /emails by | matching messages | p50 ms | p95 ms | |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ];
  }

  /** The share of processor time that the host took during the runs that count. */
  hostLine() {
    const shares = this.rows.map(({ stolen }) => stolen).filter((value) => typeof value === 'number');
    if (shares.length === 0) return [];
    const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)}%`;
    return [
      `The host took ${percent(median(shares))} of the processor time (median), ${percent(Math.max(...shares))} at most.`,
    ];
  }

  goalsTable() {
    const lines = GOALS.flatMap(({ row, what, floor, goal, lower = false, of }) => {
      const ratio = of(this);
      if (!ratio) return [];
      const reaches = (/** @type {number} */ bound) => (lower ? ratio.median <= bound : ratio.median >= bound);
      const verdict = reaches(goal) ? 'goal reached' : reaches(floor) ? 'above the floor' : 'BELOW THE FLOOR';
      const sign = lower ? '<=' : '>=';
      this.write({ goal: row, ratio, floor, bound: goal, verdict });
      return [`| ${row} | ${what} | ${shownRatio(ratio)} | ${sign} ${floor} | ${sign} ${goal} | ${verdict} |`];
    });
    if (lines.length === 0) return [];
    return [
      '',
      '| goal | what | median (least to most) | floor | goal | |',
      '| --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ];
  }
}

/** @param {number | null} value @param {number} digits */
const shown = (value, digits) => (value === null ? '-' : value.toFixed(digits));
/** @param {Ratio | null} ratio */
const shownRatio = (ratio) =>
  ratio === null ? '-' : `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`;

/** @param {Row} row */
function oneLine({ scenario, system, workload, pair, ...figures }) {
  const numbers = Object.entries(figures).filter(([, value]) => typeof value === 'number');
  const text = numbers.map(
    ([name, value]) => `${name} ${Number(value) >= 100 ? Number(value).toFixed(0) : Number(value).toFixed(2)}`,
  );
  return [scenario, workload, system, pair > 0 ? `#${pair}` : '', ...text].filter(Boolean).join('  ');
}

function machine() {
  const [cpu] = cpus();
  return { cpu: cpu?.model, cores: cpus().length, memoryGiB: Math.round(totalmem() / 1024 ** 3), kernel: release() };
}
