import { run } from './session.ts';
import type { Session } from './session.ts';

/** Without replicas: a controller is done with it, and no pod waits for a node. */
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', ports: [{ containerPort: 80 }] }] },
    },
  },
};
const SETTLED = 'rollout status deployment/web --timeout=30s';

export const WORKLOADS: readonly Session[] = [
  {
    id: 'deployment',
    steps: [
      run('create -f -', WEB),
      run(SETTLED),
      run('get deployment web'),
      run('get deployment web -o wide'),
      run('get deployment web -o yaml'),
      run('get replicasets'),
      run('get replicasets -o wide'),
      run('describe deployment web'),
      run('set image deployment/web web=nginx:2'),
      run(SETTLED),
      run('set env deployment/web MODE=fast'),
      run('set env deployment/web --list'),
      run('set resources deployment/web --requests=cpu=100m,memory=64Mi'),
      run('set serviceaccount deployment/web robot'),
      run(SETTLED),
      run('rollout history deployment/web'),
      run('rollout history deployment/web --revision=2'),
      run('rollout undo deployment/web'),
      run('rollout undo deployment/web --to-revision=99'),
      run(SETTLED),
      run('rollout pause deployment/web'),
      run('rollout pause deployment/web'),
      run('rollout resume deployment/web'),
      run('scale deployment/web --replicas=0 --current-replicas=3'),
      run('scale deployment/web --replicas=0'),
      run('autoscale deployment/web --min=1 --max=3 --cpu-percent=50'),
      run('get hpa web -o yaml'),
      run('delete hpa web'),
      run('expose deployment/web --port=80 --target-port=8080'),
      run('get service web -o jsonpath={.spec.selector}{.spec.ports}'),
      run('get endpoints web'),
      run('delete deployment web --cascade=orphan'),
      run('get deployment web'),
      run('delete replicasets -l app=web'),
    ],
  },
  {
    id: 'kinds',
    steps: [
      run('create deployment made --image=nginx:1 --replicas=0 --port=80'),
      run('get deployment made -o jsonpath={.spec.template.spec.containers}'),
      run('create job once --image=busybox --dry-run=server -o yaml -- date'),
      run('create cronjob daily --image=busybox --schedule=@daily -- date'),
      run('get cronjob daily'),
      run('get cronjob daily -o yaml'),
      run('create cronjob wrong --image=busybox --schedule=sometimes -- date'),
      run('run single --image=nginx:1 --dry-run=server -o yaml'),
      run('run --image=nginx:1 Not_A_Name'),
      run('create -f -', {
        ...WEB,
        kind: 'StatefulSet',
        metadata: { name: 'database' },
        spec: { ...WEB.spec, serviceName: 'database' },
      }),
      run('get statefulset database'),
      run('get statefulset database -o wide'),
      run('create -f -', {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent' },
        spec: {
          selector: WEB.spec.selector,
          template: { ...WEB.spec.template, spec: { ...WEB.spec.template.spec, nodeSelector: { no: 'node' } } },
        },
      }),
      run('wait --for=jsonpath={.status.observedGeneration}=1 daemonset/agent --timeout=20s'),
      run('get daemonset agent'),
      run('get daemonset agent -o wide'),
      run('create -f -', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'later' },
        spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
      }),
      run('get job later'),
      run('create -f -', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'closed' },
        spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
      }),
      run('get networkpolicy closed'),
      run('create -f -', { ...WEB, spec: { ...WEB.spec, selector: { matchLabels: { app: 'other' } } } }),
    ],
  },
];
