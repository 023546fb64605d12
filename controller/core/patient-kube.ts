import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import type { Clock } from '../../runtime/clock.ts';
import { KUBE_RETRIES, KUBE_RETRY_MAX_MS } from '../constants.ts';

/**
 * A client that retries after the server's Retry-After: up to ten times, after 429 and 5xx, as client-go does. Evictions are not
 * retried, because the drainer has other work to do meanwhile.
 * Source: client-go, `rest/with_retry.go`.
 */
export function patientKube(kube: KubeClient, clock: Clock): KubeClient {
  const patiently = async <T>(request: () => Promise<T>): Promise<T> => {
    for (let retries = 0; ; retries += 1) {
      try {
        return await request();
      } catch (error) {
        if (retries >= KUBE_RETRIES || !(error instanceof KubeError) || error.retryAfterMs === undefined) throw error;
        if (error.status !== 429 && error.status < 500) throw error;
        await clock.sleep(Math.min(error.retryAfterMs, KUBE_RETRY_MAX_MS));
      }
    }
  };
  return {
    get: (...args) => patiently(() => kube.get(...args)),
    list: (...args) => patiently(() => kube.list(...args)),
    create: (...args) => patiently(() => kube.create(...args)),
    patch: (...args) => patiently(() => kube.patch(...args)),
    delete: (...args) => patiently(() => kube.delete(...args)),
    evict: (...args) => kube.evict(...args),
  };
}
