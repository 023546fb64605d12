import { expect, test } from '@playwright/test';
import type { Criterion, GateDecision } from '../../gate/verdict.ts';
import { formatDecision, formatOutcome } from '../canary/terminal.ts';
import { scaleproofHere } from '../testing/command.ts';
import { formatGate, summarizeGate } from './terminal.ts';

/** Clears a terminal. */
const EVIL = '\u001b[2J';
const LOOK = { color: false, columns: 120 };
const CRITERION: Criterion = {
  criterion: 'success',
  verdict: 'fail',
  sentence: `sentence${EVIL}`,
  numbers: {},
  evidence: [{ scenario: `scenario${EVIL}`, seed: 1, replay: `replay${EVIL}`, what: `what${EVIL}` }],
};
const DECISION: GateDecision = {
  verdict: 'fail',
  action: 'reject',
  sentence: `sentence${EVIL}`,
  criteria: [CRITERION],
  phases: [{ phase: `phase${EVIL}`, isJudged: false }],
  episodes: { isPaired: true, baseline: 1, candidate: 1, seen: 1 },
  needs: { episodes: 0, sentences: [`needs${EVIL}`] },
};

test('control characters in a run directory are escaped', () => {
  const sides = { baseline: `baseline${EVIL}`, candidate: `candidate${EVIL}` };
  const printed = [
    formatGate({ decision: DECISION, notes: [`note${EVIL}`] }, sides, LOOK),
    summarizeGate(DECISION),
    formatDecision({ verdict: 'roll-back', sentence: `sentence${EVIL}`, criteria: [CRITERION] }, LOOK),
    formatOutcome(
      {
        how: 'held',
        why: `why${EVIL}`,
        stage: 1,
        places: [`place${EVIL}`],
        decision: undefined,
        probes: { candidate: 0, baseline: 0 },
        directories: [],
      },
      { command: 'scaleproof canary', notes: [] },
      LOOK,
    ),
  ].join('\n');
  for (const what of ['baseline', 'candidate', 'note', 'needs', 'phase', 'scenario', 'what', 'replay', 'sentence', 'why', 'place'])
    expect(printed).toContain(`${what}\\x1b[2J`);
  expect(printed).not.toContain(EVIL);
});

test('control characters in an error message are escaped', async () => {
  const { code, stderr } = await scaleproofHere(['gate', '--baseline', `a${EVIL}`, '--candidate', 'reference']);
  expect(code).toBe(2);
  expect(stderr).toContain('no target is named "a\\x1b[2J"');
});
