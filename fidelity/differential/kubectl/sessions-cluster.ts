import { run } from './session.ts';
import type { Session } from './session.ts';

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.kubectl.example' },
  spec: {
    group: 'kubectl.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['gadgets'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How large it is' },
          { name: 'Colour', type: 'string', jsonPath: '.spec.colour', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            description: 'A widget has a size.',
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                description: 'What it should be.',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, description: 'Its size.' },
                  colour: { type: 'string', enum: ['red', 'blue'] },
                },
              },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
const widget = (name: string, spec: object) => ({ apiVersion: 'kubectl.example/v1', kind: 'Widget', metadata: { name }, spec });

/** No scheduler places anything on it, and its controller finds no kubelet. */
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'kubectl-node', labels: { zone: 'a' } },
  spec: { podCIDR: '10.9.0.0/24', unschedulable: true },
};

export const CLUSTER: readonly Session[] = [
  {
    id: 'definition',
    steps: [
      run('create -f -', WIDGETS),
      run('wait --for=condition=Established crd/widgets.kubectl.example --timeout=30s'),
      run('get crd widgets.kubectl.example'),
      run('create -f -', widget('small', { size: 1, colour: 'red' })),
      run('create -f -', widget('wrong', { size: 0, colour: 'green' })),
      run('create -f -', widget('more', { size: 1, weight: 2 })),
      run('get widgets'),
      run('get wd -o wide'),
      run('get gadgets'),
      run('get widget small -o yaml'),
      run('explain widget'),
      run('explain widget.spec'),
      run('explain widget.spec.size'),
      run('scale widget/small --replicas=3'),
      run('describe widget small'),
      run('api-resources --api-group=kubectl.example'),
      run('delete crd widgets.kubectl.example'),
      run('get widgets'),
    ],
  },
  {
    id: 'discovery',
    steps: [
      run('version -o json'),
      run('api-versions'),
      run('api-resources --api-group=apps -o wide'),
      run('api-resources --api-group='),
      run('api-resources --namespaced=false --sort-by=name -o name'),
      run('api-resources --verbs=create,watch -o name'),
      run('explain pods'),
      run('explain pod.spec.containers'),
      run('explain deployment.spec.replicas'),
      run('explain pod.spec.nothing'),
      run('explain nodes --api-version=v1'),
      run('explain service.spec --recursive'),
      run('get --raw /healthz'),
      run('get --raw /readyz'),
      run('get --raw /livez'),
      run('get --raw /version'),
      run('get --raw /nothing'),
    ],
  },
  {
    id: 'nodes',
    steps: [
      run('create -f -', NODE),
      run('get node kubectl-node -o jsonpath={.spec}'),
      run('label node kubectl-node rack=1'),
      run('taint nodes kubectl-node only=this:NoSchedule'),
      run('taint nodes kubectl-node only=this:NoSchedule'),
      run('taint nodes kubectl-node only=that:NoSchedule --overwrite'),
      run('taint nodes kubectl-node only:NoSchedule-'),
      run('taint nodes kubectl-node none-'),
      run('cordon kubectl-node'),
      run('uncordon kubectl-node'),
      run('cordon missing'),
      run('drain kubectl-node --dry-run=server'),
      run('delete node kubectl-node'),
      run('top nodes'),
      run('top pods'),
    ],
  },
  {
    id: 'namespaces',
    steps: [
      run('create namespace kubectl-extra'),
      run('create namespace kubectl-extra'),
      run('get namespace kubectl-extra -o yaml'),
      run('get namespace kubectl-extra'),
      run('label namespace kubectl-extra team=a'),
      run('describe namespace kubectl-extra'),
      run('delete namespace kubectl-extra --timeout=60s'),
      run('get namespace kubectl-extra'),
      run('delete namespace default'),
      run('get storageclass'),
      run('create -f -', {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'kubectl-fast' },
        provisioner: 'x.example',
      }),
      run('get storageclass kubectl-fast'),
      run('describe storageclass kubectl-fast'),
      run('delete storageclass kubectl-fast'),
      run('create -f -', {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'kubectl-disk' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'kubectl',
          csi: { driver: 'x.example', volumeHandle: 'v' },
        },
      }),
      run('wait --for=jsonpath={.status.phase}=Available pv/kubectl-disk --timeout=30s'),
      run('get pv kubectl-disk'),
      run('delete pv kubectl-disk'),
    ],
  },
];
