/** The parts of a ConfigMap that the benchmark uses. */
export interface BenchMap {
  readonly kind: 'ConfigMap';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data: Readonly<Record<string, string>>;
}

/** `small`: one of 1 kB. `large`: 5 MB, in objects that each fit into etcd. */
export type Size = 'small' | 'large';

const TEXT_LENGTHS: Readonly<Record<Size, readonly number[]>> = { small: [800], large: Array.from({ length: 10 }, () => 500_000) };

/** The objects that the benchmark reads. */
export function configMaps(size: Size): BenchMap[] {
  return TEXT_LENGTHS[size].map((length, index) => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: `${size}-${index}`, labels: { size } },
    data: { text: 'x'.repeat(length) },
  }));
}
