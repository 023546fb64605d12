import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESOURCES } from '../../clients/resources.ts';
import { CRDS } from '../../controller/crds.ts';
import { STANDARD } from '../../controller/periods.ts';
import type { Pool } from '../../model/catalogue.ts';
import { CLUSTER_FIELDS } from '../../model/node-class.ts';
import type { UserNodeClass } from '../../model/node-class.ts';
import type { NodeSettings } from '../../model/node-settings.ts';
import { clusterVariables } from '../../model/program-environment.ts';
import { classNameOf, classSettings, reference, referenceWith, toNodePool } from '../reference.ts';
import { ProgramError } from '../target.ts';
import type { Target, TargetSite } from '../target.ts';
import { groupOperations } from '../cluster-autoscaler/groups.ts';
import { applyManifests, removeManifest } from './apply.ts';
import type { Manifest } from './apply.ts';
import { hostEnvironment, openProgramSockets } from './environment.ts';
import { readNodeClass } from './manifest-files.ts';
import { startProgram } from './program.ts';
import type { TargetFile } from './target-file.ts';
import { substitute, substituteAll } from './variables.ts';

/** Karpenter's CRDs, as the bundled target installs them. */
const DEFINITIONS: readonly Manifest[] = CRDS.map((definition) => ({
  ...definition,
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
}));

/** The adapter functions of a target, for its operator. */
export type Operations = Pick<Target, 'install' | 'applyPools' | 'removePools' | 'countGroups'>;

/** Longest that a program that translates pools may run. */
const TRANSLATION_LIMIT_MS = 120_000;

/**
 * Translates pools without a command.
 * @param path of the target's file, for messages and relative paths
 * @throws TargetFileError for a node class that can't be read
 */
export function poolsAs(
  path: string,
  pools: Exclude<TargetFile['pools'], { command: unknown }>,
  install: readonly Manifest[] | undefined,
): Operations {
  if (pools.as === 'groups') return groupOperations(() => install ?? []);
  return karpenterPools(readNodeClass(path, pools.nodeClass), install, pools.consolidateAfter);
}

/**
 * Translates pools to Karpenter NodePools with their EC2NodeClasses.
 * @param nodeClass the class of pools without their own, and the source of what belongs to the cluster for the others; by default
 *   the bundled target's, which takes no others
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
  const sharedOf = ({ cluster }: TargetSite): Manifest => {
    const { metadata, ...rest } = substituteAll(nodeClass, clusterVariables(cluster));
    return { ...rest, metadata: { ...metadata, name: `${cluster.objectPrefix ?? ''}${metadata.name}` } };
  };
  const classOf = (site: TargetSite, pool: Pool): Manifest => {
    const shared = sharedOf(site);
    const { nodeClass: users, nodeSettings } = pool;
    if (users !== undefined) return usersClass(shared, `${site.cluster.objectPrefix ?? ''}${users.name}`, users);
    return nodeSettings === undefined ? shared : classWith(shared, classNameOf(pool, ''), nodeSettings);
  };
  /** By name; a user's class may have the name of the shared one, which then no pool uses. */
  const classesOf = (site: TargetSite, pools: readonly Pool[]): ReadonlyMap<string, Manifest> => {
    const shared = pools.some(({ nodeClass: users }) => users === undefined) ? [sharedOf(site)] : [];
    const all = [...shared, ...pools.map((pool) => classOf(site, pool))];
    return new Map(all.map((one) => [one.metadata.name ?? '', one]));
  };
  const poolsOf = (site: TargetSite, pools: readonly Pool[]): Manifest[] =>
    pools.map((pool) => {
      const nodeClassRef = { group, kind: nodeClass.kind, name: classOf(site, pool).metadata.name ?? '' };
      return manifestOf(pool, nodeClassRef, consolidateAfterMs);
    });
  return {
    install: (site) => applyManifests(site, install ?? DEFINITIONS),
    applyPools: async (site, pools) => {
      await applyManifests(site, [...classesOf(site, pools).values(), ...poolsOf(site, pools)], true);
    },
    removePools: async (site, pools, left, former = []) => {
      for (const pool of poolsOf(site, pools)) await removeManifest(site, pool);
      const used = classesOf(site, left);
      for (const [name, one] of classesOf(site, [...pools, ...former])) if (!used.has(name)) await removeManifest(site, one);
    },
  };
}

/** A user's class, with what belongs to the cluster from the target's own. */
function usersClass(shared: Manifest, name: string, { spec }: UserNodeClass): Manifest {
  const { spec: own = {} } = shared as { readonly spec?: Readonly<Record<string, unknown>> };
  const ofCluster = Object.fromEntries(CLUSTER_FIELDS.flatMap((field) => (field in own ? [[field, own[field]]] : [])));
  return { ...shared, metadata: { name }, spec: { ...spec, ...ofCluster } } as Manifest;
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
