import type { Random } from '../../../../../runtime/random.ts';

const CONTAINER = { name: 'main', image: 'pause' };
/** A scheduler that doesn't exist: only the script changes such pods. */
export const NOBODY = 'nobody';
export const POD_SPEC = { containers: [CONTAINER], schedulerName: NOBODY, automountServiceAccountToken: false };

export const tolerations = (random: Random): object[] =>
  random.pick([
    [{ key: 'a', operator: 'Exists' }],
    [{ key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' }],
    [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    [{ key: 'a', operator: 'Exists', value: 'x' }],
    [{ key: 'a', effect: 'Never' }],
  ]);

const spread = (random: Random): object[] => [
  {
    maxSkew: random.pick([1, 2, 5, 0, -1]),
    topologyKey: random.pick(['topology.kubernetes.io/zone', 'kubernetes.io/hostname', '']),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'ScheduleAnyway', 'DoNotSchedule', 'Perhaps']),
    ...random.pick([{}, { labelSelector: { matchLabels: { app: 'x' } } }, { minDomains: 2 }, { matchLabelKeys: ['app'] }]),
  },
];

const affinity = (random: Random): object =>
  random.pick([
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                {
                  key: 'zone',
                  operator: random.pick(['In', 'NotIn', 'Exists', 'Gt']),
                  values: random.pick([['a'], ['1'], ['a', 'b'], []]),
                },
              ],
            },
          ],
        },
      },
    },
    {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: random.pick(['kubernetes.io/hostname', 'zone', '']),
            labelSelector: {
              matchExpressions: [{ key: 'app', operator: random.pick(['In', 'Exists']), values: random.pick([['x'], []]) }],
            },
          },
        ],
      },
    },
    {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: random.pick([1, 100, 0, 101]),
            podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } } },
          },
        ],
      },
    },
  ]);

export const podDetail = (random: Random): object =>
  random.pick<() => object>([
    () => ({}),
    () => ({ tolerations: tolerations(random) }),
    () => ({ topologySpreadConstraints: spread(random) }),
    () => ({ affinity: affinity(random) }),
    () => ({ nodeSelector: { zone: 'a' }, terminationGracePeriodSeconds: random.pick([0, 5, 30, -1]) }),
    () => ({ restartPolicy: random.pick(['Always', 'Never', 'OnFailure', 'Sometimes']) }),
    () => ({ priorityClassName: random.pick(['system-node-critical', 'system-cluster-critical', 'no-such-class']) }),
    () => ({ hostNetwork: true, containers: [{ ...CONTAINER, ports: [{ containerPort: random.pick([80, 8080, 0, 70_000]) }] }] }),
    () => ({
      containers: [
        {
          ...CONTAINER,
          resources: {
            requests: {
              cpu: random.pick(['100m', '1', '0.5', '1e3m', '-1', 'much']),
              memory: random.pick(['64Mi', '1Gi', '1000000', '1.5G']),
            },
            ...random.pick([{}, {}, { limits: { cpu: random.pick(['2', '50m']) } }]),
          },
        },
        ...random.pick([[], [], [{ name: 'side', image: 'pause' }], [{ name: 'main', image: 'pause' }]]),
      ],
    }),
    () => ({
      initContainers: [{ name: 'first', image: 'pause', ...random.pick([{}, { restartPolicy: 'Always' }, { restartPolicy: 'Never' }]) }],
    }),
    () => ({ schedulingGates: [{ name: random.pick(['example.com/gate', 'bad gate']) }] }),
  ])();
