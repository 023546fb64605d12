import type { Random } from '../runtime/random.ts';
import { few, weighted } from './draw/chance.ts';
import { drawOneFault } from './draw/scenario.ts';
import { namesIn } from './draw/params.ts';
import { drawPool } from './draw/pools.ts';
import type { DrawSite } from './draw/site.ts';
import { eventOf, pauseOf } from './draw/steps.ts';
import { drawWorkload } from './draw/workloads.ts';
import { MAX_PASS_SECONDS, tidy } from './scenario-data.ts';
import type { FaultData, ScenarioData, Step } from './scenario-data.ts';

type Edit = (random: Random, data: ScenarioData, site: DrawSite) => ScenarioData;

/** The most faults and steps that variation adds up to. */
const MOST = { faults: 4, steps: 30, workloads: 5, pools: 4 } as const;

/** The same without faults: a target has to do everything at once then, so that more of what it does can be judged. */
function calm(data: ScenarioData): ScenarioData {
  return tidy({ ...data, faults: [] });
}

/** A scenario near another one: one to a few edits, biased towards further faults and towards other moments. */
export function vary(random: Random, data: ScenarioData, name: string, site: DrawSite): ScenarioData {
  return edited(random, data, { name, site, edits: EDITS });
}

/** A scenario near another one without its faults. */
export function varyCalm(random: Random, data: ScenarioData, name: string, site: DrawSite): ScenarioData {
  return edited(random, calm(data), { name, site, edits: CALM_EDITS });
}

interface Editing {
  readonly name: string;
  readonly site: DrawSite;
  readonly edits: typeof EDITS;
}

function edited(random: Random, data: ScenarioData, { name, site, edits }: Editing): ScenarioData {
  const { origin: _origin, ...rest } = data;
  let varied: ScenarioData = { ...rest, name };
  for (let left = few(random, 4); left > 0; left -= 1) {
    // Most edits are about workloads.
    const edit = varied.workloads.length === 0 ? addWorkload : weighted(random, edits);
    varied = edit(random, varied, site);
  }
  return tidy(varied);
}

/** The pools and workloads of one scenario, with the faults of another and the moments at which they strike. */
export function cross(random: Random, data: ScenarioData, other: ScenarioData, name: string): ScenarioData {
  const renamed = new Map(other.faults.map((fault, index) => [fault.name, `other-${index + 1}`]));
  const faults = other.faults.map((fault): FaultData => ({ ...fault, name: renamed.get(fault.name) ?? fault.name }));
  const strikes = other.steps.flatMap((step): { step: Step; at: number }[] => {
    if (step.do !== 'inject' && step.do !== 'heal' && step.do !== 'until-fired') return [];
    const at = other.steps.indexOf(step) / other.steps.length;
    return [{ step: { ...step, fault: renamed.get(step.fault) ?? step.fault }, at }];
  });
  const kept = random.chance(0.5) ? data.faults : [];
  const steps: Step[] = [];
  for (const [index, step] of data.steps.entries()) {
    while ((strikes[0]?.at ?? Infinity) <= index / data.steps.length) steps.push(...strikes.splice(0, 1).map((one) => one.step));
    steps.push(step);
  }
  const { origin: _origin, ...rest } = data;
  return tidy({
    ...rest,
    name,
    faults: [...kept, ...faults].filter(isFirstOfItsName).slice(0, MOST.faults),
    steps: [...steps, ...strikes.map((one) => one.step)],
  });
}

function isFirstOfItsName<T extends { readonly name: string }>(one: T, index: number, all: readonly T[]): boolean {
  return all.findIndex(({ name }) => name === one.name) === index;
}

const EDITS: readonly (readonly [number, Edit])[] = [
  [4, addFault],
  [4, redrawFault],
  [2, removeFault],
  [4, moveStep],
  [4, changePause],
  [3, (random, data, site) => insert(random, data, eventOf(random, data, site))],
  [2, (random, data) => ({ ...data, steps: withoutOne(random, data.steps) })],
  [2, changeReplicas],
  [2, redrawWorkload],
  [1, addWorkload],
  [2, redrawPool],
  [1, addPool],
];

const OF_FAULTS: readonly Edit[] = [addFault, redrawFault, removeFault];
const CALM_EDITS = EDITS.filter(([, edit]) => !OF_FAULTS.includes(edit));

function addFault(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  if (data.faults.length >= MOST.faults) return data;
  const fault = drawOneFault(random, freeName(data.faults, 'fault'), namesIn(data, site));
  if (fault === undefined) return data;
  return insert(random, { ...data, faults: [...data.faults, fault] }, [{ do: 'inject', fault: fault.name }]);
}

/** Another fault, or the same with other parameters, at the same moments. */
function redrawFault(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  if (data.faults.length === 0) return addFault(random, data, site);
  const old = random.pick(data.faults);
  const drawn = drawOneFault(random, old.name, namesIn(data, site));
  return drawn === undefined ? data : { ...data, faults: data.faults.map((one) => (one === old ? drawn : one)) };
}

function removeFault(random: Random, data: ScenarioData): ScenarioData {
  return { ...data, faults: withoutOne(random, data.faults) };
}

function moveStep(random: Random, data: ScenarioData): ScenarioData {
  if (data.steps.length < 2) return data;
  const step = random.pick(data.steps);
  return insert(random, { ...data, steps: data.steps.filter((one) => one !== step) }, [step]);
}

function changePause(random: Random, data: ScenarioData): ScenarioData {
  const pauses = data.steps.flatMap((step) => (step.do === 'pass' ? [step] : []));
  if (pauses.length === 0) return insert(random, data, [pauseOf(random)]);
  const old = random.pick(pauses);
  const factor = random.pick([0.3, 0.7, 0.95, 1.05, 1.4, 3]);
  const seconds = Math.min(MAX_PASS_SECONDS, Math.max(0.1, Math.round(old.seconds * factor * 10) / 10));
  return { ...data, steps: data.steps.map((one) => (one === old ? { ...old, seconds } : one)) };
}

function changeReplicas(random: Random, data: ScenarioData): ScenarioData {
  const old = random.pick(data.workloads);
  const replicas = random.pick([1, 2, old.replicas + 1, Math.max(1, old.replicas - 1), Math.min(40, old.replicas * 2)]);
  return { ...data, workloads: data.workloads.map((one) => (one === old ? { ...old, replicas } : one)) };
}

function redrawWorkload(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  const old = random.pick(data.workloads);
  const drawn = drawWorkload(random, old.name, { site, others: data.workloads.map(({ name }) => name) });
  return { ...data, workloads: data.workloads.map((one) => (one === old ? drawn : one)) };
}

function addWorkload(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  if (data.workloads.length >= MOST.workloads) return data;
  const name = freeName(data.workloads, 'more');
  const workload = drawWorkload(random, name, { site, others: [...data.workloads.map((one) => one.name), name] });
  return insert(random, { ...data, workloads: [...data.workloads, workload] }, [{ do: 'deploy', workload: name }]);
}

function redrawPool(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  const old = random.pick(data.pools);
  return { ...data, pools: data.pools.map((one) => (one === old ? drawPool(random, old.name, site) : one)) };
}

function addPool(random: Random, data: ScenarioData, site: DrawSite): ScenarioData {
  if (data.pools.length >= MOST.pools) return data;
  return { ...data, pools: [...data.pools, drawPool(random, freeName(data.pools, 'pool'), site)] };
}

function insert(random: Random, data: ScenarioData, steps: readonly Step[]): ScenarioData {
  if (data.steps.length >= MOST.steps) return data;
  const at = random.int(0, data.steps.length);
  return { ...data, steps: [...data.steps.slice(0, at), ...steps, ...data.steps.slice(at)] };
}

function withoutOne<T>(random: Random, all: readonly T[]): T[] {
  const gone = random.int(0, Math.max(0, all.length - 1));
  return all.filter((_one, index) => index !== gone);
}

function freeName(all: readonly { readonly name: string }[], prefix: string): string {
  let number = 1;
  while (all.some(({ name }) => name === `${prefix}-${number}`)) number += 1;
  return `${prefix}-${number}`;
}
