/**
 * A small registry of metrics in the text exposition format of Prometheus. Our own because its output must be a function of what
 * happened: series are sorted by their labels, and nothing is read from a clock or the process.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */

type LabelValues = Readonly<Record<string, string>>;

/** Most series of one metric: further ones are not counted, so that object names can't exhaust the memory. */
const SERIES_MAX = 2_000;

/** A metric's name, description and series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): string[];
}

export class Counter implements Family {
  readonly name: string;
  readonly help: string;
  readonly type = 'counter';
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  inc(labels: LabelValues = {}, by = 1): void {
    const key = formatLabels(labels);
    const known = this.#values.get(key);
    if (known !== undefined || this.#values.size < SERIES_MAX) this.#values.set(key, (known ?? 0) + by);
  }

  /** The count of one series. */
  value(labels: LabelValues = {}): number {
    return this.#values.get(formatLabels(labels)) ?? 0;
  }

  lines(): string[] {
    return seriesOf(this.name, this.#values);
  }
}

/** A value that is computed when the metrics are read. */
export class Gauge implements Family {
  readonly name: string;
  readonly help: string;
  readonly type = 'gauge';
  readonly #read: () => Iterable<readonly [LabelValues, number]>;

  constructor(name: string, help: string, read: () => Iterable<readonly [LabelValues, number]>) {
    this.name = name;
    this.help = help;
    this.#read = read;
  }

  lines(): string[] {
    return seriesOf(this.name, new Map([...this.#read()].map(([labels, value]) => [formatLabels(labels), value])));
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Durations in seconds. */
export class Histogram implements Family {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly labels: LabelValues; readonly distribution: Distribution }>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
  }

  observe(value: number, labels: LabelValues = {}): void {
    const key = formatLabels(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= SERIES_MAX) return;
      series = { labels, distribution: { counts: this.#bounds.map(() => 0), sum: 0, count: 0 } };
      this.#series.set(key, series);
    }
    const { distribution } = series;
    distribution.sum += value;
    distribution.count += 1;
    for (const [index, bound] of this.#bounds.entries()) {
      if (value <= bound) distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    }
  }

  lines(): string[] {
    const sorted = [...this.#series].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.flatMap(([key, { labels, distribution }]) => [
      ...this.#bounds.map(
        (bound, index) => `${this.name}_bucket${formatLabels({ ...labels, le: String(bound) })} ${distribution.counts[index] ?? 0}`,
      ),
      `${this.name}_bucket${formatLabels({ ...labels, le: '+Inf' })} ${distribution.count}`,
      `${this.name}_sum${key} ${distribution.sum}`,
      `${this.name}_count${key} ${distribution.count}`,
    ]);
  }
}

/** All metrics as text, sorted by name. */
export function expose(families: readonly Family[]): string {
  const sorted = [...families].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = sorted.flatMap((family) => [
    `# HELP ${family.name} ${family.help}`,
    `# TYPE ${family.name} ${family.type}`,
    ...family.lines(),
  ]);
  return `${lines.join('\n')}\n`;
}

function seriesOf(name: string, values: ReadonlyMap<string, number>): string[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([labels, value]) => `${name}${labels} ${value}`);
}

function formatLabels(labels: LabelValues): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}="${(labels[key] ?? '').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
