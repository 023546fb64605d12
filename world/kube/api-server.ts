import { SYSTEM_PRIORITY_CLASSES } from '../../model/kube.ts';
import type { ServiceAccountName } from '../../model/service-account.ts';
import type { Principal } from '../../model/operation.ts';
import { loadKubeTypes } from '../../protocols/kube/types.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Backend } from '../../wire/backend.ts';
import type { CountingPort, WatchPort } from '../ports.ts';
import { ApiBackend } from './api-backend.ts';
import { ALWAYS_ALLOW, rbacAccess } from './rbac/access.ts';
import { AggregationController } from './rbac/aggregation.ts';
import { createDefaultRoles } from './rbac/default-roles.ts';
import { CacheLag } from './cache-lag.ts';
import { ComputedFields } from './computed-fields.ts';
import type { Compute } from './computed-fields.ts';
import { ConcernedObjects } from './concerned-objects.ts';
import { DefinitionController } from './definition-controller.ts';
import { EventExpiry } from './event-expiry.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { QuotaController } from './quota-controller.ts';
import { NamespaceController } from './namespace-controller.ts';
import { schemasIn } from './custom-schema.ts';
import { Ownership } from './ownership.ts';
import { openPort } from './port.ts';
import { Registry } from './registry.ts';
import { ResourceTable } from './resource-table.ts';
import { Store } from './store.ts';
import type { CommitListener } from './store.ts';
import { WebhookCaller } from './webhooks/caller.ts';
import { ConversionWebhooks } from './webhooks/conversion.ts';
import { NO_WEBHOOKS } from './webhooks/client.ts';
import type { WebhookClient } from './webhooks/client.ts';
import { LabelCounts } from './label-counts.ts';
import { Tallies } from './tallies.ts';
import { Watches } from './watches.ts';

/** The embedded world's Kubernetes API server. */
export interface ApiServer {
  /** Serves the Kubernetes wire. */
  readonly backend: Backend;
  /** The resources served at the moment. */
  readonly resources: ResourceTable;
  /** A port for one of the world's own parts. */
  port(principal: Principal): CountingPort;
  /** Calls `listener` after each change of state, synchronously, in order. Returns a function that removes the listener. */
  onCommit(listener: CommitListener): () => void;
  /** Makes gets and lists of a resource (by its id) show fields computed from the stored object. */
  compute(resourceId: string, compute: Compute): void;
  /** Compacts old revisions now: watches and lists from before get 410 Expired. */
  compact(): void;
  /** Delays and closes the target's watches. */
  readonly perturb: WatchPort;
  /** Ends all watches and the built-in controllers: garbage collection, namespaces, quotas, aggregated roles, expiry of events. */
  stop(): void;
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** What an API server is created with. */
export interface ApiServerOptions {
  /** A clock of the world, valid as long as the server. */
  readonly clock: Clock;
  readonly random: Random;
  /** Roles say what is allowed, and the target is this service account. By default everybody may do everything. */
  readonly targetAccount?: ServiceAccountName;
  /** Calls webhooks. By default none can be reached. */
  readonly webhooks?: WebhookClient;
}

/** Creates an API server with only the objects that every cluster has. */
export function createApiServer({ clock, random, targetAccount, webhooks = NO_WEBHOOKS }: ApiServerOptions): ApiServer {
  const store = new Store();
  const concerned = new ConcernedObjects(store);
  const tallies = new Tallies(store, concerned);
  const labelCounts = new LabelCounts(store);
  const table = new ResourceTable(store);
  const namespaces = table.byId('namespaces');
  const priorityClasses = table.byId('priorityclasses.scheduling.k8s.io');
  const types = loadKubeTypes();
  const schemaOf = schemasIn(store, table);
  const ownership = new Ownership(store, types, schemaOf);
  const caller = new WebhookCaller({ store, table, client: webhooks });
  const conversions = new ConversionWebhooks({ caller, random: random.fork('conversions') });
  table.converterOf = (webhook) => conversions.converterOf(webhook);
  const registry = new Registry({ store, clock, random: random.fork('registry'), table, ownership, types, caller });
  const cache = new CacheLag(store, clock);
  const watches = new Watches({ store, clock, random: random.fork('watches'), cache });
  const collector = new GarbageCollector({ store, registry, clock, random: random.fork('garbage-collector') });
  const namespaceController = new NamespaceController({ store, registry, table, clock });
  const quotaController = new QuotaController({ store, registry, table, clock });
  const aggregationController = new AggregationController({ store, registry, clock });
  const definitionController = new DefinitionController({ store, registry, clock });
  const expiry = new EventExpiry({ store, clock });
  const computed = new ComputedFields();
  const parts = { store, registry, table, watches, clock, concerned, tallies, labelCounts };

  const writer = { principal: 'workloads', dryRun: false } as const;
  for (const name of NAMESPACES) registry.create(namespaces, undefined, { metadata: { name } }, writer);
  for (const [name, value] of Object.entries(SYSTEM_PRIORITY_CLASSES)) {
    registry.create(priorityClasses, undefined, { metadata: { name }, value }, writer);
  }
  if (targetAccount !== undefined) createDefaultRoles(registry, table);
  const access = targetAccount === undefined ? ALWAYS_ALLOW : rbacAccess({ store, table, clock, account: targetAccount });

  return {
    backend: new ApiBackend({ ...parts, computed, types, schemaOf, ownership, cache, access, random: random.fork('backend') }),
    resources: table,
    port: (principal) => openPort(parts, principal),
    onCommit: (listener) => store.onCommit(listener),
    compute: (resourceId, compute) => computed.set(resourceId, compute),
    compact: () => store.compact(),
    perturb: { lag: (lag) => cache.arm(lag), close: (closing) => watches.close(closing) },
    stop: () => {
      collector.stop();
      namespaceController.stop();
      quotaController.stop();
      definitionController.stop();
      aggregationController.stop();
      expiry.stop();
      watches.stop();
      webhooks.close();
    },
  };
}
