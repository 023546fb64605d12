import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import { MAX_COMMENT_LENGTH, MAX_FAILURES, formatGateComment, formatRunComment } from './comment.ts';
import type { RunReport } from './run-report.ts';
import { sampleGate } from './testing/sample-gate.ts';
import { sampleRun } from './testing/sample-run.ts';

/** Ends tables, blocks and HTML, and mentions somebody. */
const HOSTILE = '```\n# x\n| a | <img src=x onerror=alert(1)> </details> [x](https://evil.example) @everyone www.evil.example #12';

function refuseMarkup(comment: string): void {
  const outside = comment.replaceAll(/^(`{3,})sh\n.*\n\1$/gm, '');
  expect(outside).not.toMatch(/<img|@everyone|:\/\/|www\.|(?<!\\)\[x|^# x/m);
  expect(outside.match(/<\/details>/g)?.length).toBe(outside.match(/<details>/g)?.length);
  expect(outside, 'every fence is closed').not.toContain('```');
}

test('a gate: what makes it laxer is a warning, other notes follow, and accepted failures are no open question', () => {
  const gate = sampleGate({ promoted: true });
  const accepted = {
    criterion: 'existing-failures' as const,
    verdict: 'pass' as const,
    sentence: 'accepted',
    numbers: {},
    evidence: [{ scenario: 'a/old', seed: 3, replay: 'sp1,seed=3', what: 'the baseline fails, too' }],
  };
  const notes = ['laxer than the default: existing.failures accept (reject)', '2 trials of ours have no verdict'];
  const comment = formatGateComment({ ...gate, notes, decision: { ...gate.decision, criteria: [...gate.decision.criteria, accepted] } });
  expect(comment).toMatch(/> \[!WARNING\]\n(?:> .*\n)*> laxer than the default: existing\.failures accept \(reject\)/);
  expect(comment).toContain('- 2 trials of ours have no verdict\n');
  expect(comment).toContain('### Accepted, since the baseline has them, too\n\n➖ **a/old** seed 3');
  expect(comment).not.toContain('### Trials to look at');
});

test('a gate: the decision, both sides, criteria, failures with replay lines, and what was not covered', () => {
  const comment = formatGateComment(sampleGate());
  expect(comment).toMatch(/^## ❌ Scaleproof gate: reject\n\nReject: the candidate fails invariants, success\.\n/);
  expect(comment).toContain('| baseline | **reference** | scaleproof 1.2.3 | 20 passed |\n');
  expect(comment).toContain('| candidate | **acme&#64;&#8203;2** | version 2.0.1 | 2 of 20 failed |\n');
  expect(comment).toContain('> [!WARNING]\n> The baseline is the bundled reference autoscaler, not yours.');
  expect(comment).not.toContain('The candidate is the bundled');
  expect(comment).toContain('| ❌ Failed | invariants | 2 of 20 trials | none |\n');
  expect(comment).toContain('| ❓ Open | latency-shift | +4 % (+1 % to +20 %) | +10 % |\n');
  expect(comment).toContain('| ➖ Not compared | cost | – | – |\n');
  expect(comment).toContain(
    `### Trials to look at

❌ **a/s1** seed 1

- invariants: launches/double (instance/i-1): two for one claim acme&#64;&#8203;2
- success: 9 of 10 pods served in time acme&#64;&#8203;2

\`\`\`sh
scaleproof replay sp1,scenario=a/s1@d1,target=acme@2,seed=1
\`\`\`
`,
  );
  expect(comment).toContain(
    '### Workloads that are not served\n\n1 of 5 workloads in ./shop is not shown to be served:\n\n- Deployment shop/gpu',
  );
  expect(comment).toContain('<details><summary>What was not covered</summary>\n\nNot covered: 90 of 100 scenarios.');
  expect(comment).toContain('Requirements without a test: PRV-09, SCH-10.');
  expect(comment).toContain('It stopped after 40 of 150 trials: no further one could change the decision.');
});

test('of many requirements without a test the first are named', () => {
  const outcome = sampleGate();
  const requirements = Array.from({ length: 45 }, (_, index) => `PRV-${index + 1}`);
  const comment = formatGateComment({ ...outcome, unseen: { ...outcome.unseen, requirements } });
  expect(comment).toContain(', PRV-29, PRV-30 and 15 more.');
});

test('a promoted candidate: no failures, and nothing stopped', () => {
  const comment = formatGateComment(sampleGate({ promoted: true }));
  expect(comment).toMatch(/^## ✅ Scaleproof gate: promote\n\nPromote: every criterion is met, by 75 pairs\.\n/);
  expect(comment).not.toMatch(/Trials to look at|stopped|```/);
});

test('a run: the verdict, the target, profiles, failures with replay lines, and what was not covered', () => {
  const comment = formatRunComment(buildReport(sampleRun({ trials: 1 })));
  expect(comment).toMatch(
    /^## ❌ Scaleproof: fail\n\nTarget \*\*reference\*\*, scaleproof \S+, in the embedded world: 6 trials, seed 1\.\n/,
  );
  expect(comment).toContain('> [!WARNING]\n> This is the bundled reference autoscaler, not yours.');
  expect(comment).toMatch(/\| ❌ fail \| core \| .*1 failed.* \|\n/);
  expect(comment).toContain('### What did not pass\n\n❌ **crashes/killed-after-launch seed 1: fail**\n\n- leaked-instance: Instance');
  expect(comment).toMatch(/\n```sh\nscaleproof replay sp1,scenario=crashes\/killed-after-launch@\S+\n```\n/);
  expect(comment).toMatch(
    /<summary>What was not covered<\/summary>[^]*- capacity\/reserved-capacity: the target does not declare the feature/,
  );
  const own = formatRunComment(buildReport(withTarget('./acme.yaml')));
  expect(own).not.toContain('WARNING');
});

function withTarget(name: string): ReturnType<typeof sampleRun> {
  const input = sampleRun({ trials: 1, only: ['scheduling/spot-spread'] });
  return { ...input, run: { ...input.run, target: { ...input.run.target, name, digest: 'd'.repeat(64) } } };
}

test('workloads of manifests that are not served are named', () => {
  const report = buildReport(sampleRun({ trials: 1, only: ['scheduling/spot-spread'] }));
  const gap = { workload: 'Deployment shop/gpu', where: 'shop.yaml, document 2', kind: 'unservable', why: 'no pool has a GPU' } as const;
  const manifests = { directory: './shop', workloads: 5, gaps: [gap], strict: false };
  const comment = formatRunComment({ ...report, run: { ...report.run, manifests } });
  expect(comment).toMatch(/### Workloads that are not served\n\n1 of 5 workloads in .*:\n\n- Deployment shop\/gpu: .*no pool has a GPU/);
});

test('beyond the first failures only their number is told', () => {
  const comment = formatGateComment(sampleGate({ failures: MAX_FAILURES + 3 }));
  expect(comment.match(/^```sh$/gm)).toHaveLength(MAX_FAILURES);
  expect(comment).toContain('\nand 3 more in `report.html`\n');
  expect(formatGateComment(sampleGate({ failures: MAX_FAILURES }))).not.toContain(' more in `report.html`');
});

test('hostile names become neither markup nor mentions', () => {
  refuseMarkup(formatGateComment(sampleGate({ name: HOSTILE })));
  refuseMarkup(formatRunComment(buildReport(withTarget(HOSTILE))));
});

test('a comment is never longer than GitHub takes, and says that it was shortened', () => {
  const long = '<'.repeat(60_000);
  const { decision, ...outcome } = sampleGate({ failures: 12 });
  const criteria = decision.criteria.map((one) => ({ ...one, evidence: one.evidence.map((shown) => ({ ...shown, replay: long })) }));
  const gate = formatGateComment({ ...outcome, decision: { ...decision, criteria } });
  const report = buildReport(withTarget('./acme.yaml'));
  const notRun = Array.from({ length: 2_000 }, (_, index) => ({
    scenario: `${index}${'<'.repeat(499)}`,
    title: '',
    suite: '',
    seed: 1,
    reason: '<'.repeat(499),
  }));
  const run = formatRunComment({ ...report, notRun } satisfies RunReport);
  for (const comment of [gate, run]) {
    expect(comment.length).toBeLessThanOrEqual(MAX_COMMENT_LENGTH);
    expect(comment).toContain('*Shortened: ');
    refuseMarkup(comment);
  }
  expect(gate, 'what fits is there').toContain('| ❌ Failed | success |');
});
