import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { Combinations } from './combinations.ts';
import { drawScenario } from './draw/scenario.ts';
import type { Cause, Symptom } from './findings.ts';
import type { ScenarioData } from './scenario-data.ts';
import { ROUND, Search } from './search.ts';
import type { Explored, Found } from './search.ts';
import { SITE, resultOf } from './testing/ground.ts';

const LEAK: Symptom = { check: 'no-leaked-instances', code: 'leaked-instance' };
const LATE: Symptom = { check: 'success-rate', code: 'pod-not-served' };

const hasFault = ({ faults }: ScenarioData, name: string): boolean => faults.some(({ fault }) => fault === name);

/** Others make a finding smaller. */
const isDrawn = ({ origin }: ScenarioData): boolean => origin === undefined;

/** A target that fails whenever a fault is injected; with `lost-answer`, something else fails as well. */
function failing({ data }: { readonly data: ScenarioData }): Explored {
  const symptoms = [...(hasFault(data, 'slow-answer') ? [LEAK] : []), ...(hasFault(data, 'lost-answer') ? [LEAK, LATE] : [])];
  const coverage = new Set(data.faults.map(({ fault }) => `fault ${fault}`));
  return {
    data,
    result: resultOf(symptoms, { interleaving: JSON.stringify(data.steps) }),
    coverage,
    operations: new Set(['patch nodes']),
    events: 1,
  };
}

function searchWith(
  options: {
    readonly seed?: number;
    readonly maxFindings?: number;
    readonly known?: readonly Cause[];
    readonly corpus?: readonly ScenarioData[];
    readonly shrinks?: boolean;
  } = {},
): {
  search: Search;
  ran: ScenarioData[];
  kept: ScenarioData[];
  told: Found[];
} {
  const ran: ScenarioData[] = [];
  const kept: ScenarioData[] = [];
  const told: Found[] = [];
  const { seed = 1, ...rest } = options;
  const search = new Search({
    random: createRandom(seed),
    site: SITE,
    run: (scenarios) => {
      ran.push(...scenarios);
      return Promise.resolve(scenarios.map((data) => failing({ data })));
    },
    onKept: (data) => kept.push(data),
    onFound: (found) => told.push(found),
    ...rest,
  });
  return { search, ran, kept, told };
}

test('each cause is found once, as the smallest scenario; further failures of it are counted', async () => {
  const { search, told } = searchWith();
  for (let round = 0; round < 20; round += 1) await search.round();
  expect(search.found).toEqual(told);
  const causes = search.found.map(({ cause }) => `${cause.code}: ${cause.ingredients.join(', ')}`).sort();
  expect(causes).toEqual(['leaked-instance: fault lost-answer', 'leaked-instance: fault slow-answer']);
  expect(search.found.find(({ cause }) => cause.ingredients.includes('fault lost-answer'))?.also).toMatchObject([LATE]);
  for (const { data } of search.found) expect(data).toMatchObject({ workloads: [], steps: [{ do: 'inject' }] });
  expect(search.standing).toMatchObject({ trials: 20 * ROUND, found: 2, unknown: 0 });
  expect(search.standing.known).toBeGreaterThan(0);
});

test('a search for one finding is over with the first, which is that of a longer search', async () => {
  const [all, first] = [searchWith(), searchWith({ maxFindings: 1 })];
  while (!first.search.isOver) await first.search.round();
  for (let round = 0; round < 20; round += 1) await all.search.round();
  expect(first.told).toEqual(all.told.slice(0, 1));
  expect(all.search.isOver).toBe(false);
});

test('the same seed searches the same, another one does not', async () => {
  const [one, same, other] = [searchWith(), searchWith(), searchWith({ seed: 2 })];
  for (const { search } of [one, same, other]) for (let round = 0; round < 4; round += 1) await search.round();
  expect(same.ran).toEqual(one.ran);
  expect(other.ran).not.toEqual(one.ran);
});

test('what reaches something new is kept, and an earlier corpus runs first', async () => {
  const first = searchWith();
  await first.search.round();
  expect(first.kept.length).toBe(first.search.standing.corpus);
  expect(first.kept.length).toBeGreaterThan(0);
  const second = searchWith({ seed: 2, corpus: first.kept });
  await second.search.round();
  expect(second.ran.slice(0, first.kept.length)).toEqual(first.kept);
});

for (const { what, isNew } of [
  { what: 'few', isNew: () => false },
  { what: 'most', isNew: ({ faults }: ScenarioData) => faults.length === 0 },
]) {
  test(`a part of all trials is without faults if ${what} of those that were kept have none`, async () => {
    const ran: ScenarioData[] = [];
    const explore = (data: ScenarioData): Explored => {
      const explored = failing({ data });
      return { ...explored, coverage: new Set([...explored.coverage, ...(isNew(data) ? [data.name] : [])]) };
    };
    const run = (scenarios: readonly ScenarioData[]): Promise<Explored[]> => {
      ran.push(...scenarios);
      return Promise.resolve(scenarios.map(explore));
    };
    const search = new Search({ random: createRandom(1), site: SITE, run });
    for (let round = 0; round < 10; round += 1) await search.round();
    const tried = ran.filter(isDrawn);
    const calm = tried.filter(({ faults }) => faults.length === 0);
    expect(calm.length).toBeGreaterThan(tried.length / 6);
    expect(calm.length).toBeLessThan(tried.length / 2);
  });
}

test('a known cause is counted, not told again', async () => {
  const known = [
    { ...LEAK, ingredients: ['fault slow-answer'] },
    { ...LEAK, ingredients: ['fault lost-answer'] },
    { ...LATE, ingredients: ['fault lost-answer'] },
  ];
  const { search } = searchWith({ known });
  for (let round = 0; round < 10; round += 1) await search.round();
  expect(search.found).toEqual([]);
  expect(search.standing.known).toBeGreaterThan(0);
  // One trial for each, which asks whether something else is the cause, and no more than that.
  expect(search.standing.shrinkTrials).toBeLessThanOrEqual(search.standing.known);
});

test('a cause with few parts hides no other one: a failure that remains without these parts is another', async () => {
  const { search } = searchWith({ known: [{ ...LEAK, ingredients: ['fault slow-answer'] }] });
  for (let round = 0; round < 20; round += 1) await search.round();
  expect(search.found.map(({ cause }) => cause.ingredients)).toEqual([['fault lost-answer']]);
});

test('a limit of trials is kept, and what was cut off is not counted', async () => {
  const { search, ran } = searchWith();
  await search.round(5);
  expect(search.standing.trials).toBe(5);
  expect(ran.filter(isDrawn)).toHaveLength(5);
  const cut = new Search({
    random: createRandom(1),
    site: SITE,
    run: (scenarios) => Promise.resolve(scenarios.slice(0, 3).map((data) => failing({ data }))),
  });
  await cut.round(10);
  expect(cut.standing.trials).toBe(3);
});

test('what fails can be told as it was drawn: ten failures of each code', async () => {
  const { search, ran, told } = searchWith({ shrinks: false });
  for (let round = 0; round < 20; round += 1) await search.round();
  expect(ran).toHaveLength(20 * ROUND);
  for (const { data, foundIn } of told) {
    expect(ran).toContain(data);
    expect(data.name).toBe(foundIn);
  }
  const codes = told.map(({ cause }) => cause.code);
  expect(codes.filter((code) => code === 'leaked-instance')).toHaveLength(10);
  expect(new Set(told.map(({ data }) => data.name)).size).toBe(told.length);
  expect(search.standing).toMatchObject({ known: 0, shrinkTrials: 0 });
  expect(search.standing.untold).toBeGreaterThan(0);
  expect(told.every(({ isAsDrawn }) => isAsDrawn)).toBe(true);
});

test('of a corpus those can go that reach nothing which others do not', async () => {
  const { search, kept } = searchWith();
  for (let round = 0; round < 10; round += 1) await search.round();
  const best = kept.filter(({ name }) => !search.dispensable(kept.length).has(name));
  expect(best.length).toBeLessThan(kept.length);
  const faultsOf = (all: readonly ScenarioData[]): Set<string> => new Set(all.flatMap(({ faults }) => faults.map(({ fault }) => fault)));
  expect(faultsOf(best)).toEqual(faultsOf(kept));
  expect(search.dispensable(3).size).toBe(kept.length - 3);
});

test('of a corpus nothing can go that could not be judged', async () => {
  const corpus = ['a', 'b'].map((name): ScenarioData => drawScenario(createRandom(name), name, { ...SITE, operations: [] }));
  const run = (scenarios: readonly ScenarioData[]): Promise<Explored[]> =>
    Promise.resolve(
      scenarios.map((data) => ({ data, coverage: new Set<string>(), events: 1, operations: new Set<string>(), problem: 'it was refused' })),
    );
  const search = new Search({ random: createRandom(1), site: SITE, run, corpus });
  await search.round(2);
  expect(search.standing.trials).toBe(2);
  expect(search.dispensable(1)).toEqual(new Set());
});

test('a trial without a verdict is counted as such', async () => {
  const run = (scenarios: readonly ScenarioData[]): Promise<Explored[]> =>
    Promise.resolve(
      scenarios.map((data) => ({
        data,
        problem: 'it has no history',
        coverage: new Set<string>(),
        operations: new Set<string>(),
        events: 0,
      })),
    );
  const search = new Search({ random: createRandom(1), site: SITE, run });
  await search.round(4);
  expect(search.standing).toMatchObject({ trials: 4, unknown: 4, found: 0 });
  expect(search.problems).toHaveLength(3);
  expect(search.problems[0]).toMatch(/-1: it has no history$/);
});

/** A search whose first round has trials that fail as above. It is interrupted after so many trials: what follows is cut off. */
function interruptedAfter(most: number): Search {
  let left = most;
  const run = (scenarios: readonly ScenarioData[]): Promise<Explored[]> => {
    const done = scenarios.slice(0, left);
    left -= done.length;
    return Promise.resolve(done.map((data) => failing({ data })));
  };
  return new Search({ random: createRandom(2), site: SITE, run });
}

test('what was found when a search is interrupted is told as it was, once', async () => {
  const search = interruptedAfter(ROUND);
  await search.round();
  expect(search.standing).toMatchObject({ trials: ROUND, shrinkTrials: 0 });
  const codes = search.found.map(({ cause }) => cause.code);
  expect(codes).toContain('leaked-instance');
  expect(new Set(codes).size).toBe(codes.length);
  for (const { data, foundIn, result } of search.found) {
    expect(data.name).toBe(foundIn);
    expect(result.verdict).toBe('fail');
  }
});

test('a finding whose trials are long is made smaller in fewer of them', async () => {
  const long = async (events: number): Promise<Search> => {
    const search = new Search({
      random: createRandom(1),
      site: SITE,
      maxFindings: 1,
      run: (scenarios) => Promise.resolve(scenarios.map((data) => ({ ...failing({ data }), events }))),
    });
    while (!search.isOver) await search.round();
    return search;
  };
  const [usual, few] = [await long(1_000), await long(500_000)];
  expect(few.standing.shrinkTrials).toBeLessThan(12);
  expect(few.standing.shrinkTrials).toBeLessThan(usual.standing.shrinkTrials);
  expect(few.found[0]?.cause.code).toBe(usual.found[0]?.cause.code);
});

test('an interruption keeps what was made smaller so far, and counts only trials that ran', async () => {
  const search = interruptedAfter(ROUND + 20);
  await search.round();
  expect(search.standing).toMatchObject({ trials: ROUND, shrinkTrials: 20 });
  expect(search.found[0]?.data.name).toMatch(/^leaked-instance-\d+$/);
});

test('the same seed goes on elsewhere once there is a corpus', async () => {
  const first = searchWith();
  await first.search.round();
  const second = searchWith({ corpus: first.kept });
  await second.search.round();
  const drawn = second.ran.slice(first.kept.length, ROUND).map(({ name }) => name);
  expect(drawn.length).toBeGreaterThan(0);
  expect(drawn.filter((name) => first.ran.some((one) => one.name === name))).toEqual([]);
});

test('searches bring more together than as many scenarios drawn without regard to each other', async () => {
  const broughtTogether = (all: readonly ScenarioData[]): number => {
    const combinations = new Combinations();
    return all.reduce((sum, data) => {
      const news = combinations.countNew(data);
      combinations.add(data);
      return sum + news;
    }, 0);
  };
  let [searched, drawn] = [0, 0];
  // Those without faults, of which a search tries more, have less to bring together.
  const withFaults = ({ faults }: ScenarioData): boolean => faults.length > 0;
  // One search may bring together 1.15 times as much, or 1.6 times.
  for (const seed of [1, 2, 3]) {
    const { search, ran } = searchWith({ seed });
    for (let round = 0; round < 4; round += 1) await search.round();
    const tried = ran.filter(isDrawn).filter(withFaults);
    searched += broughtTogether(tried);
    const random = createRandom(1_000 * seed);
    const others = Array.from({ length: 2 * ran.length }, () => drawScenario(random, 'any', SITE)).filter(withFaults);
    drawn += broughtTogether(others.slice(0, tried.length));
  }
  expect(searched).toBeGreaterThan(1.2 * drawn);
});
