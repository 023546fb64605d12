import type { Criterion, CriterionName, GateVerdict } from './verdict.ts';

/** A trial that speaks against a candidate, with everything that the criteria say about it. */
export interface TellingTrial {
  readonly scenario: string;
  readonly seed: number;
  /** Empty if there was no trial. */
  readonly replay: string;
  /** It may contain names from a cluster: escape it. */
  readonly said: readonly { readonly criterion: CriterionName; readonly verdict: GateVerdict; readonly what: string }[];
}

/** The evidence of all criteria by trial, so that each trial is told once: those of failed criteria first. */
export function tellingTrials(criteria: readonly Criterion[]): TellingTrial[] {
  const failedFirst = [...criteria].sort((a, b) => rank(a) - rank(b));
  const all = failedFirst.flatMap(({ criterion, verdict, evidence }) => evidence.map((one) => ({ ...one, criterion, verdict })));
  return [...Map.groupBy(all, ({ scenario, seed }) => `${scenario}#${seed}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const replay = own.find((one) => one.replay !== '')?.replay ?? '';
    const said = own.map(({ criterion, verdict, what }) => ({ criterion, verdict, what }));
    return [{ scenario: first.scenario, seed: first.seed, replay, said }];
  });
}

/** Trials that speak against a candidate, and those that speak only of what the policy accepts. */
export function partTrials(criteria: readonly Criterion[]): { readonly telling: TellingTrial[]; readonly accepted: TellingTrial[] } {
  const { telling = [], accepted = [] } = Object.groupBy(tellingTrials(criteria), ({ said }) =>
    said.every(({ verdict }) => verdict === 'pass') ? 'accepted' : 'telling',
  );
  return { telling, accepted };
}

function rank({ verdict }: Criterion): number {
  return verdict === 'fail' ? 0 : 1;
}
