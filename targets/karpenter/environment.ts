import { nearest } from '../../model/nearest.ts';
import { parseDurationMs } from '../../model/go-duration.ts';
import type { Feature } from '../target.ts';

/**
 * The feature gates of Karpenter's core up to v1.15.0 (sigs.k8s.io/karpenter, pkg/operator/options/options.go). CapacityBuffer came
 * with 1.14; TerminateFirstDrift, TerminateFirstRepair and PodDeletionCostManagement came with 1.15. Their names are case-sensitive.
 */
const GATES: readonly string[] = [
  'NodeRepair',
  'ReservedCapacity',
  'SpotToSpotConsolidation',
  'NodeOverlay',
  'StaticCapacity',
  'CapacityBuffer',
  'TerminateFirstDrift',
  'TerminateFirstRepair',
  'PodDeletionCostManagement',
];

/** Features behind gates that the chart leaves off. */
const GATED: Readonly<Record<string, Feature>> = { StaticCapacity: 'static-capacity', SpotToSpotConsolidation: 'spot-consolidation' };

/** Variables with durations. Karpenter silently uses its default for a value that is none. */
const DURATIONS: readonly string[] = ['BATCH_MAX_DURATION', 'BATCH_IDLE_DURATION'];

/** The features of enabled gates, in the format of FEATURE_GATES: `StaticCapacity=true,NodeRepair=false`. */
export function featuresOfGates(gates = ''): Feature[] {
  // As in Karpenter, the last value of a gate counts.
  const values = new Map(pairsOf(gates));
  return Object.entries(GATED).flatMap(([name, feature]) => (values.get(name) === 'true' ? [feature] : []));
}

/**
 * What is wrong with settings that Karpenter would silently ignore, or not start with; undefined if nothing is.
 * @param published whether the version is a release: a commit or checkout may have gates of its own
 */
export function environmentProblem(environment: Readonly<Record<string, string>>, published: boolean): string | undefined {
  const gates = pairsOf(environment['FEATURE_GATES'] ?? '').flatMap(([name, value]) => gateProblem(name, value, published) ?? []);
  const durations = DURATIONS.flatMap((name) => {
    const value = environment[name];
    if (value === undefined || parseDurationMs(value) !== undefined) return [];
    return [`${name} must be a duration such as 10s or 1m30s (units h, m, s, ms), not "${value}"`];
  });
  const problems = [...gates.map((problem) => `FEATURE_GATES ${problem}`), ...durations];
  return problems.length === 0 ? undefined : problems.join('; ');
}

function gateProblem(name: string, value: string | undefined, published: boolean): string | undefined {
  if (value !== 'true' && value !== 'false')
    return `must set ${name} to true or false, as in ${name}=true${value === undefined ? '' : `, not to "${value}"`}`;
  if (!published || GATES.includes(name)) return undefined;
  const meant = nearest(name, GATES);
  return `has no gate "${name}"${meant === undefined ? '' : `, did you mean ${meant}`}? Known gates: ${GATES.join(', ')}`;
}

/** Like `MapStringBool` of k8s.io/component-base, which parses them in Karpenter. */
function pairsOf(gates: string): (readonly [string, string | undefined])[] {
  return gates
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.length === 0 ? undefined : value.join('=').trim()];
    });
}
