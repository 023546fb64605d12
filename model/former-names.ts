/**
 * Names of version 0.1.0 that have changed since. Replay lines, run directories, flags and policies may still have them: they are
 * translated where they are read, so that everything else knows only the current ones.
 */

/** Scenarios: former id to current id. Their suites were `incidents`, `others` and `promises`, too, which are gone. */
export const FORMER_SCENARIOS: Readonly<Record<string, string>> = {
  'api-pressure/withdrawn-under-stale-reads': 'api-pressure/pool-deleted-under-stale-reads',
  'capacity/dies-at-launch': 'capacity/instance-dies-at-launch',
  'capacity/nothing-anywhere': 'capacity/no-capacity-anywhere',
  'capacity/one-of-each': 'capacity/one-instance-per-offering',
  'capacity/one-type-of-many': 'capacity/one-type-with-capacity',
  'consolidation/budget-beside-unready': 'consolidation/budget-with-unready-node',
  'consolidation/budget-of-none': 'consolidation/budget-zero',
  'consolidation/budget-of-share': 'consolidation/budget-percentage',
  'consolidation/drift-by-halves': 'consolidation/drift-within-percentage',
  'consolidation/drifted-marked': 'consolidation/drifted-do-not-disrupt-node',
  'consolidation/drifted-opted-out': 'consolidation/drifted-do-not-disrupt-pod',
  'consolidation/empty-marked': 'consolidation/empty-do-not-disrupt-node',
  'consolidation/mark-refused': 'consolidation/node-writes-refused',
  'consolidation/opted-out-node': 'consolidation/do-not-disrupt-node',
  'consolidation/opted-out-pod': 'consolidation/do-not-disrupt-pod',
  'consolidation/pods-come-meanwhile': 'consolidation/pods-arrive-meanwhile',
  'crashes/launched-once': 'crashes/killed-again-after-restart',
  'disruption/ended-behind-its-back': 'disruption/instances-terminated-externally',
  'faulty-api/clock-ahead-to-the-end': 'faulty-api/clock-ahead-grace-period',
  'faulty-api/clock-behind-to-the-end': 'faulty-api/clock-behind-grace-period',
  'faulty-api/cut-off-zone': 'faulty-api/zone-unreachable',
  'faulty-api/held-up-launches': 'faulty-api/delayed-launches',
  'faulty-api/held-up-taints': 'faulty-api/delayed-taints',
  'faulty-api/launch-template-gone': 'faulty-api/launch-templates-deleted',
  'faulty-api/resets': 'faulty-api/connection-resets',
  'incidents/bought-soon-after': 'interruption/fallback-after-interruption',
  'incidents/bound-to-missing-node': 'scheduling/pod-on-missing-node',
  'incidents/ghost-node': 'disruption/ghost-node',
  'incidents/interrupted-during-launch': 'interruption/during-launch',
  'incidents/killed-before-termination': 'crashes/killed-before-termination',
  'incidents/killed-during-scale-in': 'crashes/killed-during-scale-in',
  'incidents/restarted-under-load': 'crashes/restarted-under-load',
  'incidents/room-on-broken-node': 'registration/capacity-on-unready-node',
  'incidents/spread-without-selector': 'scheduling/spread-without-selector',
  'incidents/throttled-inside-fleets': 'api-pressure/throttling-inside-fleet-answers',
  'interruption/perturbed-queue': 'interruption/duplicate-and-late-messages',
  'interruption/second-handler': 'interruption/second-termination-handler',
  'interruption/stray-messages': 'interruption/malformed-and-foreign-messages',
  'others/come-and-go': 'provisioning/short-lived-pods',
  'others/launch-refused': 'capacity/launch-refused',
  'others/node-deleted': 'disruption/node-deleted',
  'others/soft-spread': 'consolidation/preferred-spread',
  'pools/blocked-to-the-end': 'pools/termination-grace-blocked-drain',
  'pools/early-agents': 'pools/startup-taints-removed-early',
  'pools/late-agents': 'pools/startup-taints-removed-late',
  'pools/metal-when-asked': 'pools/bare-metal',
  'pools/minimum-kept': 'pools/minimum-values',
  'pools/minimum-not-met': 'pools/minimum-values-not-met',
  'pools/mutually-exclusive': 'pools/pool-per-team',
  'pools/slow-to-end': 'pools/termination-grace-slow-pods',
  'promises/either-pool': 'provisioning/identical-pools',
  'promises/kept-together': 'scheduling/pod-affinity',
  'promises/limit-without-nodes': 'provisioning/node-limit-before-registration',
  'promises/not-looked-at': 'scheduling/gated-pods',
  'promises/processor-limit-without-nodes': 'provisioning/cpu-limit-before-registration',
  'promises/static-drift': 'pools/static-capacity-drift',
  'provisioning/limit-reached': 'provisioning/node-limit',
  'provisioning/out-and-back-in-small': 'provisioning/small-scale-out-and-back',
  'provisioning/processor-limit': 'provisioning/cpu-limit',
  'provisioning/withdrawn-during-launch': 'provisioning/pool-deleted-during-launch',
  'scheduling/apart': 'scheduling/pod-anti-affinity',
  'scheduling/every-operator': 'scheduling/node-affinity-operators',
  'scheduling/strange-spreads': 'scheduling/unusual-spreads',
  'scheduling/where-asked': 'scheduling/node-selectors',
  'staleness/all-seen-late': 'staleness/stale-caches',
  'staleness/killed-into-the-past': 'staleness/killed-with-stale-list',
  'staleness/late-descriptions': 'staleness/stale-descriptions',
  'staleness/nodes-seen-late': 'staleness/stale-nodes',
  'staleness/pods-seen-late': 'staleness/stale-pods',
  'staleness/restarted-into-the-past': 'staleness/restarted-with-stale-list',
};

/** Planted bugs: former name, without `mutant:`, to current name. */
export const FORMER_MUTANTS: Readonly<Record<string, string>> = {
  'any-architecture': 'ignored-architecture',
  'any-cluster': 'collects-other-clusters',
  'believed-end': 'unverified-termination',
  'bought-again': 'relaunched-interrupted-offering',
  'brief-masks': 'short-offering-backoff',
  'broken-room': 'counts-unready-nodes',
  'counted-twice': 'double-counted-pods',
  'cut-grace': 'shortened-grace-period',
  'daemons-as-need': 'daemonset-pods-keep-nodes',
  'dead-on-arrival': 'waits-for-dead-instance',
  'deaf-after-error': 'queue-error-stops-polling',
  'deaf-to-opt-outs': 'ignored-do-not-disrupt',
  'deaf-while-consolidating': 'interruption-ignored-in-consolidation',
  'deleted-pods': 'delete-instead-of-evict',
  'denied-end': 'denied-termination-as-gone',
  'drift-over-opt-outs': 'drift-ignores-do-not-disrupt',
  'dropped-plans': 'never-consolidates',
  'each-message': 'replacement-per-message',
  'early-deletion': 'removes-before-replacement-ready',
  'early-notice': 'dropped-early-notice',
  'errors-first': 'partial-success-as-failure',
  'failed-list': 'failed-list-as-empty',
  'finalizer-first': 'finalizer-before-termination',
  'forbidden-drain': 'no-retry-of-denied-eviction',
  'foreign-killer': 'terminates-foreign-instances',
  'forgetful-token': 'token-lost-in-crash',
  'forgotten-daemons': 'ignored-daemonsets',
  'forgotten-flights': 'in-memory-launches',
  'forgotten-memory': 'ignored-memory-limit',
  'forgotten-processors': 'ignored-cpu-limit',
  'fresh-token': 'new-token-on-retry',
  'full-subnets': 'ignored-full-subnets',
  'half-deletion': 'node-deletion-leaks-instance',
  hammering: 'retries-without-backoff',
  'hasty-end': 'immediate-termination',
  'hasty-finalizer': 'early-finalizer-removal',
  'hasty-timeout': 'timeout-without-termination',
  'held-back-pods': 'launches-for-gated-pods',
  'joined-terms': 'affinity-terms-joined-by-and',
  'kept-class': 'stuck-node-class',
  'kept-taint': 'orphaned-taint',
  'kept-templates': 'leaked-launch-templates',
  'launches-for-daemons': 'launches-for-daemonset-pods',
  'left-mark': 'leftover-taint',
  'left-to-others': 'no-instance-polling',
  'missing-node': 'blocked-by-missing-node',
  'narrow-launches': 'ignored-minimum-values',
  'never-drains': 'no-drain',
  'one-at-a-time': 'serial-interruptions',
  'one-try-drain': 'single-eviction-attempt',
  'one-type-a-launch': 'single-type-launches',
  'overfull-nodes': 'ignored-max-pods',
  'partial-list': 'partial-list-as-empty',
  'paused-for-all': 'global-capacity-backoff',
  'poison-volume': 'volume-error-fails-batch',
  'quota-blind': 'ignored-spot-quota',
  'restored-taints': 'overwritten-taints',
  'retried-taint': 'stale-taint-retry',
  'roofless-masks': 'unbounded-offering-backoff',
  'share-blind': 'ignored-budget-percentage',
  'short-patience': 'short-registration-timeout',
  'silent-refusals': 'no-reasons',
  'taint-blind': 'ignored-taint-drift',
  'taken-for-lost': 'unlisted-as-gone',
  'throttling-as-drought': 'throttling-as-no-capacity',
  'tried-in-vain': 'launches-for-unknown-labels',
  'trusted-copy': 'stale-cache-removal',
  'uncounted-launches': 'limits-ignore-launches',
  'unlearnt-shortfall': 'ignored-node-shortfall',
  'unmasked-offerings': 'ignored-capacity-errors',
  'unpaced-drift': 'drift-ignores-budgets',
  'unread-as-drift': 'failed-description-as-drift',
  'unready-uncounted': 'budget-ignores-unready',
  'unsynced-forever': 'waits-for-missed-claim',
  'unsynced-start': 'consolidates-before-sync',
  'wandering-nodes': 'ignored-pool-zones',
  'zone-blind': 'ignored-volume-zones',
};

/** Bounds: former name to current name. */
export const FORMER_BOUNDS: Readonly<Record<string, string>> = {
  'vain-answers-a-minute': 'empty-answers-a-minute',
};

const FIRST_IDS: ReadonlyMap<string, string> = new Map(Object.entries(FORMER_SCENARIOS).map(([former, now]) => [now, former]));

/** The current id of a scenario. */
export function currentScenarioId(id: string): string {
  return lookUp(FORMER_SCENARIOS, id);
}

/** The id that a scenario had first: chance is drawn by it, so that a new name changes nothing in a trial. */
export function firstScenarioId(id: string): string {
  return FIRST_IDS.get(id) ?? id;
}

/** The current ids of the scenarios that were in a suite that no longer exists; none for other names. */
export function scenariosOfFormerSuite(suite: string): string[] {
  return FORMER_SUITES.includes(suite)
    ? Object.keys(FORMER_SCENARIOS)
        .filter((id) => id.startsWith(`${suite}/`))
        .map(currentScenarioId)
    : [];
}

const FORMER_SUITES: readonly string[] = ['incidents', 'others', 'promises'];

/** The current name of a target: `mutant:NAME`, `mutant:NAME:quick`, or two of them as `A+B`. */
export function currentTargetName(name: string): string {
  return name
    .split('+')
    .map((part) => part.replace(/^(mutant:)([^:]+)/, (_, prefix: string, mutant: string) => `${prefix}${lookUp(FORMER_MUTANTS, mutant)}`))
    .join('+');
}

/** The current name of a bound. */
export function currentBoundName(name: string): string {
  return lookUp(FORMER_BOUNDS, name);
}

function lookUp(table: Readonly<Record<string, string>>, name: string): string {
  return (Object.hasOwn(table, name) ? table[name] : undefined) ?? name;
}
