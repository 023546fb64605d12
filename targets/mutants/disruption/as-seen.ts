import type { NodePool } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';

type Pods = Context['state']['pods'];
type Listener = Parameters<Pods['onChange']>[0];

/** A context for a part that only uses `get` of the pools: it sees each pool as the function makes it. */
export function poolsAsSeen(context: Context, see: (pool: NodePool) => NodePool): Context {
  const { state } = context;
  const pools: Pick<typeof state.pools, 'get'> = {
    get: (name) => {
      const pool = state.pools.get(name);
      return pool === undefined ? undefined : see(pool);
    },
  };
  return { ...context, state: { ...state, pools: pools as typeof state.pools } };
}

/** A context for a part that only uses `onChange` of the pods: it is told of those changes for which the function is true. */
export function changesAsSeen(context: Context, isSeen: (...change: Parameters<Listener>) => boolean): Context {
  const { state } = context;
  const pods: Pick<Pods, 'onChange'> = {
    onChange: (listener) =>
      state.pods.onChange((...change) => {
        if (isSeen(...change)) listener(...change);
      }),
  };
  return { ...context, state: { ...state, pods: pods as Pods } };
}
