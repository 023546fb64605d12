import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { createKindCluster, deleteKindCluster } from '../kind.ts';
import { createPrograms } from '../programs.ts';
import { RUN_VARIABLE, clusterName, folderOf, openRun, runName } from '../run-state.ts';

/** A run that creates a cluster and deletes it, for tests that kill it meanwhile. Arguments: its state directory, and a file for its id. */
const [stateDirectory = '', ownerFile = ''] = process.argv.slice(2);
writeFileSync(ownerFile, String(process.pid));
const clock = createRealTimeline().scope('owner');
const run = runName(clock);
const programs = createPrograms({ [RUN_VARIABLE]: run });
const opened = await openRun(run, { clock, programs, usesEngine: true, directory: stateDirectory });
const cluster = { name: clusterName(run, 1), kubeconfig: join(folderOf(run), 'kubeconfig') };
await createKindCluster(programs, { ...cluster, config: 'kind-config.yaml' });
await deleteKindCluster(programs, cluster);
opened.close();
