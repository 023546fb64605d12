import { clusterAutoscalerTarget } from '../cluster-autoscaler/cluster-autoscaler.ts';
import { FlagError } from '../cluster-autoscaler/flags.ts';
import { parseTargetVersion } from '../go/build/programs.ts';
import type { TargetVersion } from '../go/build/programs.ts';
import { environmentProblem } from '../karpenter/environment.ts';
import { karpenterTarget } from '../karpenter/karpenter.ts';
import type { Target } from '../target.ts';
import { readManifests, readNodeClass } from './manifest-files.ts';
import { TargetFileError } from './target-file.ts';
import type { ClusterAutoscalerTargetFile, KarpenterTargetFile } from './target-file.ts';

/**
 * A version of Karpenter with its own settings from a target's file; everything else is as in `karpenter@VERSION`.
 * @throws TargetFileError
 */
export function karpenterTargetOf(path: string, file: KarpenterTargetFile, pinned: string | undefined): Target {
  const { name, go, environment, features, constants, pools, install } = file;
  const { version, kind } = versionOf(path, go);
  const problem = environmentProblem(environment, kind === 'release');
  if (problem !== undefined) throw new TargetFileError(`${path}: environment: ${problem}`);
  return karpenterTarget(version, pinned, {
    name,
    environment,
    features,
    constants,
    consolidateAfterMs: pools?.consolidateAfter,
    nodeClass: readNodeClass(path, pools?.nodeClass),
    install: install?.flatMap((one, index) => readManifests(path, `install.${index}`, one)),
  });
}

/**
 * A version of Cluster Autoscaler with its own flags from a target's file; everything else is as in `cluster-autoscaler@VERSION`.
 * @throws TargetFileError
 */
export function clusterAutoscalerTargetOf(path: string, file: ClusterAutoscalerTargetFile, pinned: string | undefined): Target {
  const { go, ...settings } = file;
  const { version } = versionOf(path, go);
  try {
    return clusterAutoscalerTarget(version, pinned, settings);
  } catch (error) {
    throw error instanceof FlagError ? new TargetFileError(`${path}: flags: ${error.message}`) : error;
  }
}

function versionOf(path: string, text: string): TargetVersion {
  try {
    return parseTargetVersion(text);
  } catch (error) {
    throw new TargetFileError(`${path}: go: ${error instanceof Error ? error.message : String(error)}`);
  }
}
