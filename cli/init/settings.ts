import { chooseTarget } from '../choose.ts';
import { UsageError } from '../usage-error.ts';
import { bundledNamesIn } from '../../targets/catalogue.ts';
import { isPath } from '../../model/paths.ts';
import { SETTINGS } from './kits.ts';
import type { Kit, Setting, Settings } from './kits.ts';

/** Characters that mean themselves in YAML, TypeScript, a shell, a Dockerfile and an expression of a workflow, each in quotes. */
const SAFE = /^[A-Za-z0-9./_~][A-Za-z0-9./_~@:+#=-]*$/;

/** What a setting stands for, in errors about a kit that needs it. */
const MISSING: Readonly<Record<Setting, string>> = {
  target:
    'tests an autoscaler: say which one with --target, for example --target karpenter@1.14.1, or --target ./target.yaml for a program of ' +
    "your own (docs/targets.md). --target reference tests Scaleproof's bundled autoscaler, not yours",
  baseline:
    'compares an autoscaler with the version in production: say which that is with --baseline, for example --baseline karpenter@1.14.0',
  manifests: 'needs --manifests, a directory with node pools and workloads',
};

/**
 * Checks the settings for a kit. Files need not exist: they may be relative to a folder or an image that is made later.
 * @throws UsageError for a setting that the kit needs and that is missing, one that it does not use, and an invalid one
 */
export function checkSettings(kit: Kit, given: Settings): void {
  for (const name of SETTINGS) {
    const use = kit.settings[name];
    const value = given[name];
    if (value === undefined && use === 'required') throw new UsageError(`init ${kit.name} ${MISSING[name]}`);
    if (value === undefined) continue;
    if (use === undefined) throw new UsageError(`init ${kit.name} has no use for --${name}: leave it out`);
    if (!SAFE.test(value))
      throw new UsageError(
        `--${name} ${JSON.stringify(value)}: in these files it can have letters, digits, dots, slashes and _~@:+#=- only, and starts with none of @:+#=-`,
      );
    if (name !== 'manifests' && !isPath(value)) chooseTarget(value);
  }
  if (given.target !== undefined && given.target === given.baseline)
    throw new UsageError(`--target and --baseline are both ${given.target}: name two versions`);
}

/** The settings as a part of a sentence or a job's name, as in `karpenter@1.14.1 against karpenter@1.14.0`. */
export function titleOf({ target = '', baseline, manifests }: Settings): string {
  const shown = (name: string): string => (bundledNamesIn(name).length === 0 ? name : `${name} (bundled with Scaleproof, not yours)`);
  const against = baseline === undefined ? '' : ` against ${shown(baseline)}`;
  return `${shown(target)}${against}${manifests === undefined ? '' : ` over the manifests in ${manifests}`}`;
}

/** A warning if something of what is tested is bundled with Scaleproof; undefined if nothing is. */
export function bundledWarning({ target, baseline }: Settings): string | undefined {
  const bundled = [target, baseline].flatMap((name) => (name === undefined ? [] : bundledNamesIn(name)));
  if (bundled.length === 0) return undefined;
  const names = [...new Set(bundled)].join(' and ');
  const isOwn = target !== undefined && bundledNamesIn(target).length > 0;
  const what = bundled.length === 1 ? 'an autoscaler' : 'autoscalers';
  return isOwn
    ? `this tests ${names}, ${what} bundled with Scaleproof: it says nothing about yours. Name yours with --target`
    : `the baseline is ${names}, ${what} bundled with Scaleproof: it is not what runs in production. Name that with --baseline`;
}
