import { resolveBounds } from '../harness/bounds.ts';
import { artefactOf, scenarioDigestOf, targetDigestOf } from '../harness/load.ts';
import type { PlannedTrial } from '../harness/run.ts';
import { catalogueFor, worldFor } from '../harness/world-for.ts';
import type { WorldRef } from '../harness/world-for.ts';
import type { Profile } from '../history/events.ts';
import { crashPointSchema } from '../history/verdict.ts';
import type { NotRun } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { offeringsToTry } from '../harness/offerings-to-try.ts';
import { RUN_FORMAT } from '../reports/report-input.ts';
import type { ManifestsFacts, ProgramFacts, RunFacts, Shard } from '../reports/report-input.ts';
import { allSources, suites } from '../suites/catalogue.ts';
import { coverage } from '../suites/specification/coverage.ts';
import type { Artefact } from '../targets/go/artefacts/cache.ts';
import type { Target } from '../targets/target.ts';
import type { ChosenScenario, chooseTarget } from './choose.ts';
import { ownVersion } from './own-version.ts';

/** A run before its first trial. */
export interface RunToDescribe {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly chosen: readonly ChosenScenario[];
  readonly target: ReturnType<typeof chooseTarget>;
  readonly loaded: Target;
  /** The embedded world by default. */
  readonly world: WorldRef | undefined;
  /** Number of nodes, for scenarios that do not set their own. */
  readonly nodes: number;
  readonly seed: number;
  readonly trials: number;
  readonly shard?: Shard | undefined;
  /** The manifests that the scenarios are made from, if any. */
  readonly manifests?: ManifestsFacts;
  readonly planned: readonly PlannedTrial[];
  readonly notRun: readonly NotRun[];
  /** The known facts of a scenario's crash points. */
  readonly crashPointsOf?: (id: string) => RunFacts['scenarios'][number]['crashPoints'];
}

/** The content of run.json before the first trial. */
export async function describeRun(run: RunToDescribe): Promise<RunFacts> {
  const { chosen, target, loaded, shard } = run;
  const { facts: world, unseen } = worldFor(loaded, run.world);
  const digest = await targetDigestOf(target.ref);
  const artefact = await artefactOf(target.ref);
  const catalogue = catalogueFor(
    loaded,
    run.world,
    chosen.flatMap(({ scenario }) => scenario.pools),
  );
  return {
    format: RUN_FORMAT,
    id: run.id,
    startedAt: run.startedAt,
    versions: { scaleproof: ownVersion(), node: process.version },
    seed: run.seed,
    trials: run.trials,
    ...defined({ shard }),
    scenarios: await Promise.all(
      chosen.map(async ({ scenario, suite, ref }) => {
        const crashPoints = run.crashPointsOf?.(scenario.id);
        return {
          id: scenario.id,
          title: scenario.title,
          suite,
          profile: scenario.profile,
          requirements: [...scenario.requirements],
          digest: await scenarioDigestOf(ref),
          ...defined({ crashPoints }),
        };
      }),
    ),
    notRequested: leftOut(chosen),
    ...defined({ manifests: run.manifests }),
    ...requirementFacts(chosen),
    target: {
      name: target.label,
      features: [...loaded.features],
      constants: { ...loaded.constants },
      ...defined({ digest, program: artefact && programFacts(artefact) }),
    },
    world: {
      name: world.name,
      capabilities: [...world.capabilities],
      allowances: { ...world.allowances },
      ...defined({ unseen: unseen && [...unseen] }),
    },
    bounds: Object.values(
      resolveBounds({
        constants: loaded.constants,
        allowances: world.allowances,
        nodes: run.nodes,
        // Those of the scenario with the most offerings. Bounds of the others are printed beside their measured values.
        offerings: Math.max(0, ...chosen.map(({ scenario: { pools } }) => offeringsToTry(loaded, pools, catalogue.types.values()))),
      }),
    ),
    digests: { catalogue: catalogue.digest, prices: catalogue.pricesDigest },
    planned: run.planned.map(plannedFacts),
    notRun: [...run.notRun],
  };
}

function programFacts({ manifest }: Artefact): ProgramFacts {
  const { program, version, wasm, builtAt, module, moduleVersion, local, goVersion, sums, replaces } = manifest;
  return {
    name: program,
    version,
    sha256: wasm.sha256,
    builtAt,
    module,
    ...defined({ moduleVersion, sources: local?.sha256 }),
    goVersion,
    sums: { ...sums },
    // Paths of local folders are not recorded.
    replaces: replaces.map((one) => ({ ...one, by: one.by.includes('@') ? one.by : 'a folder' })),
  };
}

export function plannedFacts({ scenario, suite, seed, crash, replay, history }: PlannedTrial): RunFacts['planned'][number] {
  return {
    scenario: scenario.id,
    title: scenario.title,
    suite,
    seed,
    ...defined({ crash: crash && crashPointSchema.parse(crash) }),
    replay,
    history,
  };
}

/** The number of bundled scenarios, by profile, that a run of these leaves out. */
function leftOut(chosen: readonly ChosenScenario[]): RunFacts['notRequested'] {
  const ids = new Set(chosen.map(({ scenario }) => scenario.id));
  const left = allSources.filter(({ scenario }) => !ids.has(scenario.id));
  const countOf = (profile: Profile): number => left.filter(({ scenario }) => scenario.profile === profile).length;
  return { core: countOf('core'), extended: countOf('extended'), robustness: countOf('robustness'), endurance: countOf('endurance') };
}

/** The specification, if the scenarios test any of it. Users' own scenarios may name requirements of another one. */
function requirementFacts(chosen: readonly ChosenScenario[]): Pick<RunFacts, 'requirements'> {
  const named = new Set(chosen.flatMap(({ scenario }) => scenario.requirements));
  const covered = coverage(suites);
  if (!covered.some(({ requirement: { id } }) => named.has(id))) return {};
  return {
    requirements: covered.map(({ area, requirement: { id, level, profile, title, breaches }, scenarios }) => ({
      id,
      level,
      area: area.name,
      profile,
      title,
      breaches: Object.fromEntries(Object.entries(breaches).map(([check, codes]) => [check, [...codes]])),
      scenarios: scenarios.map((scenario) => scenario.id),
    })),
  };
}
