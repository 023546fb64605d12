/**
 * What the garbage collector found to be in use when it last ran: unlike the size of the heap, it has no garbage in it. Prometheus' client
 * makes the name from `/gc/heap/live:bytes` of Go's `runtime/metrics`; controller-runtime and component-base register all of those.
 */
const LIVE = /^go_gc_heap_live_bytes (\S+)$/m;

/** How much a Go program holds in memory, in MiB, by its Prometheus metrics; undefined if they don't say. */
export function heapMiBIn(metrics: string): number | undefined {
  const bytes = Number(LIVE.exec(metrics)?.[1] ?? NaN);
  return Number.isFinite(bytes) ? bytes / 2 ** 20 : undefined;
}
