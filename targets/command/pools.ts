import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESOURCES } from '../../clients/resources.ts';
import { CRDS } from '../../controller/crds.ts';
import { STANDARD } from '../../controller/periods.ts';
import type { Pool } from '../../model/catalogue.ts';
import type { NodeSettings } from '../../model/node-settings.ts';
import { clusterVariables } from '../../model/program-environment.ts';
import { classNameOf, classSettings, reference, referenceWith, toNodePool } from '../reference.ts';
import { ProgramError } from '../target.ts';
import type { Target, TargetSite } from '../target.ts';
import { applyManifests, removeManifest } from './apply.ts';
import type { Manifest } from './apply.ts';
import { hostEnvironment, openProgramSockets } from './environment.ts';
import { startProgram } from './program.ts';
import { substitute, substituteAll } from './variables.ts';

/** Karpenter's CRDs, as the bundled target installs them. */
const DEFINITIONS: readonly Manifest[] = CRDS.map((definition) => ({
  ...definition,
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
}));

/** The adapter functions of a target, for its operator. */
export type Operations = Pick<Target, 'install' | 'applyPools' | 'removePools'>;

/** Longest that a program that translates pools may run. */
const TRANSLATION_LIMIT_MS = 120_000;

/**
 * Translates pools to Karpenter NodePools, all with the bundled target's EC2NodeClass or a given one.
 * @param consolidateAfterMs how long a node may be empty before it is removed
 */
export function karpenterPools(
  nodeClass: Manifest | undefined,
  install: readonly Manifest[] | undefined,
  consolidateAfterMs: number = STANDARD.consolidateAfterMs,
): Operations {
  if (nodeClass === undefined) {
    const setUp = install === undefined ? reference.install : (site: TargetSite) => applyManifests(site, install);
    const { applyPools, removePools } = referenceWith(reference, { ...STANDARD, consolidateAfterMs });
    return { install: setUp, applyPools, removePools };
  }
  const [group = ''] = nodeClass.apiVersion.split('/');
  const classOf = (site: TargetSite): Manifest => {
    const { metadata, ...rest } = substituteAll(nodeClass, clusterVariables(site.cluster));
    return { ...rest, metadata: { ...metadata, name: `${site.cluster.objectPrefix ?? ''}${metadata.name}` } };
  };
  const objectsOf = (site: TargetSite, pools: readonly Pool[]): { readonly classes: Manifest[]; readonly pools: Manifest[] } => {
    const shared = classOf(site);
    const nameFor = (pool: Pool): string => classNameOf(pool, shared.metadata.name ?? '');
    const classes = pools.flatMap((pool) => (pool.nodeSettings === undefined ? [] : [classWith(shared, nameFor(pool), pool.nodeSettings)]));
    const refTo = (name: string): NodeClassRef => ({ group, kind: nodeClass.kind, name });
    return { classes, pools: pools.map((pool) => manifestOf(pool, refTo(nameFor(pool)), consolidateAfterMs)) };
  };
  return {
    install: (site) => applyManifests(site, install ?? DEFINITIONS),
    applyPools: async (site, pools) => {
      const objects = objectsOf(site, pools);
      await applyManifests(site, [classOf(site), ...objects.classes, ...objects.pools]);
    },
    removePools: async (site, pools, left) => {
      const objects = objectsOf(site, pools);
      for (const object of [...objects.pools, ...objects.classes]) await removeManifest(site, object);
      if (left.length === 0) await removeManifest(site, classOf(site));
    },
  };
}

type NodeClassRef = ReturnType<typeof toNodePool>['spec']['template']['spec']['nodeClassRef'];

/** A class with what a pool sets on its nodes, instead of the class's own settings of that kind. */
function classWith(shared: Manifest, name: string, settings: NodeSettings): Manifest {
  const { spec = {} } = shared as { readonly spec?: object };
  return { ...shared, metadata: { ...shared.metadata, name }, spec: { ...spec, ...classSettings(settings) } } as Manifest;
}

function manifestOf(pool: Pool, nodeClassRef: NodeClassRef, consolidateAfterMs: number): Manifest {
  const { group, version, kind } = RESOURCES.nodepools;
  const { spec } = toNodePool(pool, { consolidateAfterMs });
  const template = { ...spec.template, spec: { ...spec.template.spec, nodeClassRef } };
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: pool.name }, spec: { ...spec, template } } as Manifest;
}

/**
 * Passes pools to a program: as a JSON list on its standard input, with `apply` or `remove` as its last argument, and with
 * the operator's access to the world in its environment. An exit code other than 0 is a failure.
 */
export function commandPools(command: readonly string[], directory: string, install: readonly Manifest[] | undefined): Operations {
  const run = async (site: TargetSite, pools: readonly Pool[], verb: 'apply' | 'remove'): Promise<void> => {
    const { clock } = site.runtime;
    const folder = await mkdtemp(join(tmpdir(), 'scaleproof-pools-'));
    const sockets = await openProgramSockets(site, folder);
    const program = startProgram(
      {
        command: [...command.map((part) => substitute(part, { ...sockets, NODE: process.execPath })), verb],
        directory,
        environment: { ...hostEnvironment(folder), ...sockets },
        input: JSON.stringify(pools),
        folder,
      },
      clock,
      () => undefined,
    );
    const over = new AbortController();
    const late = clock.sleep(TRANSLATION_LIMIT_MS, over.signal).then(
      () => 'late' as const,
      () => 'late' as const,
    );
    try {
      const code = await Promise.race([program.ended, late]);
      if (code === 'late') throw new ProgramError(`${command.join(' ')} ${verb} did not exit within ${TRANSLATION_LIMIT_MS / 1000} s`);
      if (code !== 0)
        throw new ProgramError(`${command.join(' ')} ${verb} exited with code ${code}; its last output: ${program.lastWords()}`);
    } finally {
      over.abort(new Error('the translation is over'));
      await program.kill();
    }
  };
  return {
    install: (site) => applyManifests(site, install ?? []),
    applyPools: (site, pools) => run(site, pools, 'apply'),
    removePools: (site, pools) => run(site, pools, 'remove'),
  };
}
