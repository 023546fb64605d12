import { dirname } from 'node:path';
import { specOfTarget } from '../go/build/target-spec.ts';
import { COMPILED_MEMORY_MIB } from '../go/memory.ts';
import { METRICS, programFiles, programVariables, wireTo } from '../go/network.ts';
import { startGoTarget } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { Target } from '../target.ts';
import { readManifests } from './manifest-files.ts';
import { poolsAs } from './pools.ts';
import { untilReady } from './ready.ts';
import { TargetFileError, constantsOf } from './target-file.ts';
import type { GoTargetFile } from './target-file.ts';
import { NODE_VARIABLE, substitute, substituteAll } from './variables.ts';

const HOME = '/root';

/**
 * A program compiled from Go, as described by a target's file, in virtual time.
 * @param resources plural names of its own resources
 * @throws TargetFileError for settings that are impossible in virtual time
 */
export function goTarget(path: string, file: GoTargetFile, resources: readonly string[], pinned: string | undefined): Target {
  const { name, go, pools, install, environment, ready } = file;
  if ('command' in pools)
    throw new TargetFileError(
      `${path}: pools.command is for programs in real time; with go, pools must be {as: karpenter} or {as: groups}`,
    );
  if (JSON.stringify([go.arguments, environment, ready]).includes(`\${${NODE_VARIABLE}}`))
    throw new TargetFileError(
      `${path}: \${${NODE_VARIABLE}} is for programs on the machine; a program compiled from Go can't start others`,
    );
  const spec = specOfTarget(file, dirname(path));
  const program = targetProgram({ program: spec.program, version: spec.version, spec }, pinned);
  const manifests = install?.flatMap((one, index) => readManifests(path, `install.${index}`, one));
  return {
    name,
    summary: `the program ${go.package} of ${go.module}, in virtual time`,
    features: file.features,
    constants: constantsOf(file),
    resources,
    memoryMiB: COMPILED_MEMORY_MIB,
    cost: 'heavy',
    program,
    ...poolsAs(path, pools, manifests),
    start: (site) => {
      const values = programVariables(site);
      return startGoTarget(
        {
          artefact: program.artefact(),
          command: [spec.program, ...go.arguments.map((part) => substitute(part, values))],
          environment: { HOME, ...values, ...substituteAll(environment, values) },
          files: programFiles(),
          wireTo: (host) => wireTo(host, site),
          ready: (probe) => untilReady(substituteAll(ready, values), probe),
          metrics: METRICS,
        },
        site,
      );
    },
  };
}
