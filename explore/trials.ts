import { mkdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readTrial } from '../harness/judge-trial.ts';
import { LoadError } from '../harness/load-error.ts';
import { whyNotRun } from '../harness/engine.ts';
import { loadTarget } from '../harness/load.ts';
import type { TargetRef } from '../harness/load.ts';
import { planTrials, specOf } from '../harness/run.ts';
import type { PlannedTrial, TrialSource } from '../harness/run.ts';
import type { Scenario } from '../harness/scenario.ts';
import { createTrialRunner } from '../harness/supervisor.ts';
import type { TrialRunner } from '../harness/supervisor.ts';
import { worldFor } from '../harness/world-for.ts';
import { HistoryError } from '../history/reader.ts';
import { removeHistory } from '../history/usage.ts';
import { defined } from '../model/defined.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { coverageOf, operationsIn } from './coverage.ts';
import { GENERATED_SUITE, scenarioOf } from './generated.ts';
import { parseScenarioData } from './scenario-data.ts';
import type { ScenarioData } from './scenario-data.ts';
import type { Explored, RunScenarios } from './search.ts';

/** A generated scenario has its own random numbers, so that another seed would show nothing that another scenario doesn't. */
export const TRIAL_SEED = 1;

/** Where trials run. */
export interface TrialSite {
  readonly target: { readonly ref: TargetRef; readonly label: string };
  /** An existing folder for histories, which are removed once they are judged. */
  readonly directory: string;
  readonly workers: number;
  readonly signal: AbortSignal;
  /** Extra environment variables of the processes that run trials. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The path of a scenario's file, for replay lines. */
  readonly labelOf: (data: ScenarioData) => string;
  /** Called when a trial has ended. */
  readonly onTrial?: () => void;
}

/** Processes that run scenarios until they are ended. */
export interface ScenarioRunner {
  readonly run: RunScenarios;
  end(): Promise<void>;
}

/**
 * The scenario of these data as a source of trials.
 * @param label the path of its file, for replay lines; by default its id
 */
export function generatedSource(data: ScenarioData, label?: string): TrialSource & { readonly scenario: Scenario } {
  const module = new URL(`./generated${extname(import.meta.url)}`, import.meta.url).href;
  const scenario = scenarioOf(data);
  // Fields in the order of the schema: the digest is that of the same scenario in a file.
  const ref = { module, export: scenarioOf.name, input: parseScenarioData(data) };
  return { ref, scenario, suite: GENERATED_SUITE, label: label ?? scenario.id };
}

/** Starts a process for each worker at its first trial. What a trial shows does not depend on the process, nor on what ran in it before. */
export function createScenarioRunner({ target, directory, workers, signal, environment, labelOf, onTrial }: TrialSite): ScenarioRunner {
  const clock = createRealTimeline().scope('explorer');
  const runners = Array.from({ length: workers }, () => createTrialRunner({ clock, ...defined({ environment }) }));
  mkdirSync(join(directory, 'histories'), { recursive: true });
  let number = 0;
  const explore = async (data: ScenarioData, runner: TrialRunner): Promise<Explored> => {
    number += 1;
    const planned = await plan(data, { target, label: labelOf(data), number });
    if ('problem' in planned) return unjudged(data, planned.problem);
    const { trial } = planned;
    const spec = specOf(trial, directory);
    try {
      const outcome = await runner.run(spec, { signal });
      if (outcome.kind === 'refused') return unjudged(data, outcome.message);
      if (outcome.kind === 'not-begun') return unjudged(data, 'it did not begin');
      const { result, view } = readTrial(trial, directory);
      return {
        data,
        result,
        coverage: coverageOf(view, result, outcome.covered),
        operations: operationsIn(view),
        events: view.events.length,
      };
    } catch (error) {
      if (error instanceof HistoryError) return unjudged(data, error.message);
      throw error;
    } finally {
      removeHistory(spec.historyPath);
    }
  };
  return {
    run: async (scenarios) => {
      const explored = new Array<Explored | undefined>(scenarios.length).fill(undefined);
      let next = 0;
      await Promise.all(
        runners.map(async (runner) => {
          while (!signal.aborted) {
            const index = next;
            next += 1;
            const data = scenarios[index];
            if (data === undefined) return;
            const one = await explore(data, runner);
            // A trial that was cut off shows nothing.
            if (!signal.aborted) explored[index] = one;
            onTrial?.();
          }
        }),
      );
      // What follows one that was cut off would not have been looked at yet.
      const cut = explored.indexOf(undefined);
      return explored.slice(0, cut === -1 ? explored.length : cut).filter((one) => one !== undefined);
    },
    end: async () => {
      await Promise.all(runners.map((runner) => runner.end()));
    },
  };
}

function unjudged(data: ScenarioData, problem: string): Explored {
  return { data, problem, coverage: new Set(), operations: new Set(), events: 0 };
}

async function plan(
  data: ScenarioData,
  { target, label, number }: { readonly target: TrialSite['target']; readonly label: string; readonly number: number },
): Promise<{ readonly trial: PlannedTrial } | { readonly problem: string }> {
  try {
    const source = generatedSource(data, label);
    const loaded = await loadTarget(target.ref);
    const reason = whyNotRun(source.scenario, loaded, worldFor(loaded, undefined).facts.capabilities);
    if (reason !== undefined) return { problem: reason };
    const [trial] = await planTrials(source, target, [TRIAL_SEED]);
    if (trial === undefined) return { problem: 'no trial was planned' };
    return { trial: { ...trial, history: `histories/${number}.jsonl` } };
  } catch (error) {
    if (error instanceof LoadError) return { problem: error.message };
    throw error;
  }
}
