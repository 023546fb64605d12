import { join } from 'node:path';
import { packageRoot } from '../../model/package-root.ts';
import { isPath } from '../../model/paths.ts';
import { namesInTarget } from '../../targets/catalogue.ts';

/** What a kit's files can be about, each set by the flag of its name. */
export const SETTINGS = ['target', 'baseline', 'manifests'] as const;
export type Setting = (typeof SETTINGS)[number];

/** The settings that the user gave. */
export type Settings = Readonly<Partial<Record<Setting, string>>>;

/** One file of a kit. */
export interface KitFile {
  /** The template, from the folder of this package. */
  readonly from: string;
  /** Where it is written, from the kit's folder. */
  readonly to: string;
  /** Whether it is written with these settings; by default with all. */
  readonly when?: (given: Settings) => boolean;
}

/** Files that integrate Scaleproof with another system. */
export interface Kit {
  readonly name: string;
  readonly summary: string;
  /** The default output folder. */
  readonly out: string;
  /** The settings that it uses, and whether it can do without them. A kit without a target tests nothing. */
  readonly settings: Readonly<Partial<Record<Setting, 'required' | 'optional'>>>;
  readonly files: readonly KitFile[];
  /** What the user does next, a sentence each. */
  readonly next: readonly string[];
}

const SERVE: readonly KitFile[] = [
  { from: 'fixtures/templates/serve/serve.yaml', to: 'serve.yaml' },
  { from: 'fixtures/templates/serve/Dockerfile', to: 'Dockerfile', when: (given) => !isBuilt(given) },
  { from: 'fixtures/templates/serve/built.Dockerfile', to: 'Dockerfile', when: isBuilt },
  { from: 'fixtures/templates/serve/service-monitor.yaml', to: 'service-monitor.yaml' },
];
/** A gate runs both versions. */
const GATE = { target: 'required', baseline: 'required', manifests: 'optional' } as const;
const NEXT_FOR_SERVE: readonly string[] = [
  'Put scaleproof.tgz (npm pack in the repository of Scaleproof), and what --target, --baseline and --manifests name, beside the Dockerfile; build and push it.',
  'Name that image in the manifests, wherever they say CHANGE, and create the secret described at the top of serve.yaml.',
  'At each rollout, the image must contain the version that is rolled out: set it as --candidate-version in serve.yaml. Requests for another version are refused.',
];

const WORKFLOW = '.github/workflows/scaleproof.yaml';

export const KITS: readonly Kit[] = [
  {
    name: 'argo',
    summary: 'Argo Rollouts: an AnalysisTemplate that asks the gate, one that runs it as a Job, and the service',
    out: 'scaleproof-argo',
    settings: GATE,
    files: [
      { from: 'fixtures/templates/argo/analysis-template.yaml', to: 'analysis-template.yaml' },
      { from: 'fixtures/templates/argo/job-template.yaml', to: 'job-template.yaml' },
      ...SERVE,
    ],
    next: [
      ...NEXT_FOR_SERVE,
      'kubectl apply -f serve.yaml, and analysis-template.yaml in the namespace of your Rollout, with a copy of the secret.',
      'Add the step described at the top of analysis-template.yaml to your Rollout.',
    ],
  },
  {
    name: 'flagger',
    summary: 'Flagger: a Canary whose webhooks start the gate, wait for it and roll back, and the service',
    out: 'scaleproof-flagger',
    settings: GATE,
    files: [{ from: 'fixtures/templates/flagger/canary.yaml', to: 'canary.yaml' }, ...SERVE],
    next: [
      ...NEXT_FOR_SERVE,
      'Name your Deployment, the version of the candidate and the token in canary.yaml: Flagger sends no headers, so the token has to be in that file.',
      'kubectl apply -f serve.yaml -f canary.yaml',
    ],
  },
  {
    name: 'github-actions',
    summary: 'GitHub Actions: a workflow that gates a version against its baseline, or runs the suites, and comments on pull requests',
    out: '.',
    settings: { target: 'required', baseline: 'optional', manifests: 'optional' },
    files: [
      { from: 'fixtures/templates/github-actions/gate.yaml', to: WORKFLOW, when: ({ baseline }) => baseline !== undefined },
      { from: 'fixtures/templates/github-actions/run.yaml', to: WORKFLOW, when: ({ baseline }) => baseline === undefined },
    ],
    next: [
      'Add scaleproof to the development dependencies of the repository: npm install --save-dev PATH/scaleproof-VERSION.tgz',
      'If the target is a file that starts a program of yours, build that program in the workflow, where it says CHANGE.',
      'Commit the workflow. It runs for each pull request, every night, and by hand.',
    ],
  },
  {
    name: 'prometheus',
    summary: 'Prometheus: alerting and recording rules for the metrics of Karpenter and the reference, and a scrape job for the gate',
    out: 'scaleproof-prometheus',
    settings: {},
    files: [
      { from: 'fixtures/templates/prometheus/rules.yaml', to: 'rules.yaml' },
      { from: 'fixtures/templates/prometheus/scrape.yaml', to: 'scrape.yaml' },
    ],
    next: [
      'Name the file under rule_files of your Prometheus, or put its groups under spec of a PrometheusRule.',
      'If scaleproof serve runs: put the job of scrape.yaml under your scrape_configs, or apply the service-monitor.yaml of the argo and flagger kits.',
      'Before the alerts page anybody, check what they would have done in the last days: promtool check rules rules.yaml, then graph each expression.',
    ],
  },
  {
    name: 'loki',
    summary: 'Loki: alerting rules for what Karpenter and Scaleproof log and no metric says',
    out: 'scaleproof-loki',
    settings: {},
    files: [{ from: 'fixtures/templates/loki/rules.yaml', to: 'rules.yaml' }],
    next: [
      'Put the names of your containers where it says CHANGE.',
      'Put the file where the ruler of your Loki reads rules, or load it: lokitool rules load rules.yaml',
      'Before the alerts page anybody, check what they would have done in the last days: run each expression in Grafana (Explore).',
    ],
  },
  {
    name: 'pagerduty',
    summary: 'PagerDuty: a route and receivers of Alertmanager for the alerts of the prometheus and loki kits',
    out: 'scaleproof-pagerduty',
    settings: {},
    files: [{ from: 'fixtures/templates/pagerduty/alertmanager.yaml', to: 'alertmanager.yaml' }],
    next: [
      'Put its route and receivers into the configuration of your Alertmanager, and your runbooks where it says CHANGE.',
      'Mount the integration keys of two PagerDuty services as the files that routing_key_file names. One key for both also works: a service whose urgency follows severities tells them apart.',
      'amtool check-config on the result, then see who gets an alert: amtool config routes test --config.file=FILE alertname=KarpenterLaunchFailures severity=critical',
    ],
  },
  {
    name: 'grafana',
    summary: 'Grafana: a dashboard of provisioning, claims and nodes, the AWS API, interruption and gates',
    out: 'scaleproof-grafana',
    settings: {},
    files: [{ from: 'fixtures/templates/grafana/dashboard.json', to: 'dashboard.json' }],
    next: [
      'Import it in Grafana (Dashboards, New, Import), or put it into a folder that Grafana provisions.',
      'Success, baseline and orphans come from the rules that `scaleproof init prometheus` writes.',
    ],
  },
  {
    name: 'chaos-mesh',
    summary: 'Chaos Mesh: faults for the pods of an autoscaler in a real cluster, beside a run that only observes it',
    out: 'scaleproof-chaos-mesh',
    settings: {},
    files: ['network-delay', 'lost-answers', 'aws-unreachable', 'pod-kill', 'cpu-stress', 'clock-skew'].map((name) => ({
      from: `fixtures/templates/chaos-mesh/${name}.yaml`,
      to: `${name}.yaml`,
    })),
    next: [
      'Put the namespace and labels of your autoscaler, and the endpoints of your region, where the files say CHANGE.',
      'Run the scenarios without chaos first: npx scaleproof run --world existing --mode observed --kubeconfig FILE --target ./target.yaml. What fails without chaos says nothing about it.',
      'In a second terminal, while they run again: kubectl apply -f network-delay.yaml, one file at a time, and kubectl delete -f network-delay.yaml before the next.',
    ],
  },
  {
    name: 'playwright',
    summary: 'Playwright: a project of your own whose tests are trials: two suites and a scenario of your own',
    out: 'scaleproof-tests',
    settings: { target: 'required' },
    files: [
      ...['README.md', 'autoscaler.yaml', 'conformance.spec.ts', 'package.json', 'playwright.config.ts', 'release.ts'].map((name) => ({
        from: `fixtures/examples/playwright/${name}`,
        to: name,
      })),
      // npm does not publish files named .gitignore.
      { from: 'fixtures/examples/playwright/gitignore.template', to: '.gitignore' },
    ],
    next: [
      'In the folder: npm install, then npm install --save-dev PATH/scaleproof-VERSION.tgz (npm pack in the repository of Scaleproof).',
      'npx playwright test, and npx playwright test --ui to look at it. No browser is needed.',
      'TARGET=mutant:ignored-capacity-errors npx playwright test --grep mine/ must fail: a scenario that no broken autoscaler fails is useless.',
    ],
  },
];

/** The versions that Scaleproof builds for a target, as `karpenter@1.14.1` or `A+B`. */
export function versionsIn(target: string): string[] {
  return isPath(target) ? [] : namesInTarget(target).filter((part) => part.includes('@'));
}

function isBuilt({ target = '', baseline = '' }: Settings): boolean {
  return [target, baseline].some((name) => versionsIn(name).length > 0);
}

/** The path of the template. */
export function templatePath({ from }: KitFile): string {
  return join(packageRoot(), from);
}
