import { z } from 'zod';
import { isQuantity, parseQuantity } from '../../model/quantity.ts';
import { checkLabelValue, checkQualifiedName } from '../../protocols/kube/names.ts';

/** What a kubelet accepts: with anything else it does not start, so that there is no node. */

const NOT_A_QUANTITY = 'must be a quantity, such as 500m or 2Gi';
const NOT_A_THRESHOLD = 'must be a quantity or a percentage, such as 500Mi or 5%';
const PERCENTAGE = /^\d+(\.\d+)?%$/;

/** A part of `kubeReserved` or `systemReserved` (`k8s.io/kubernetes/cmd/kubelet/app/server.go`). */
export const reservationSchema = z
  .string(NOT_A_QUANTITY)
  .refine(isQuantity, { error: NOT_A_QUANTITY, abort: true })
  .refine((text) => parseQuantity(text).nanos >= 0n, 'must not be negative');

/** A part of `evictionHard` (`k8s.io/kubernetes/pkg/kubelet/eviction/helpers.go`). 0 % and 100 % are no threshold. */
export const thresholdSchema = z
  .string(NOT_A_THRESHOLD)
  .refine((text) => PERCENTAGE.test(text) || isQuantity(text), { error: NOT_A_THRESHOLD, abort: true })
  .refine((text) => !PERCENTAGE.test(text) || Number(text.slice(0, -1)) <= 100, 'must be at most 100%')
  .refine((text) => PERCENTAGE.test(text) || parseQuantity(text).nanos > 0n, 'must be more than 0, or 0% for none');

/** Labels of Kubernetes' own domains that a kubelet may set on its node (`k8s.io/kubernetes/pkg/kubelet/apis`). */
const OWN_DOMAIN = /(^|\.)(kubernetes|k8s)\.io$/;
const ALLOWED_DOMAIN = /(^|\.)(kubelet|node)\.kubernetes\.io$/;
const ALLOWED_LABELS = [
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
];

/** Whether a kubelet may set a label with this key: not those that Kubernetes reserves for others. */
export function mayLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return !OWN_DOMAIN.test(domain) || ALLOWED_DOMAIN.test(domain) || ALLOWED_LABELS.includes(key);
}

/** A key and a value of `--node-labels` (`k8s.io/kubernetes/cmd/kubelet/app/options`). */
export const labelKeySchema = z
  .string()
  .refine((key) => checkQualifiedName(key).length === 0, { error: 'must be a label key, such as example.com/disk', abort: true })
  .refine(mayLabel, "must not be one of Kubernetes' own that no kubelet may set");
export const labelValueSchema = z
  .string('must be a string')
  .refine(
    (value) => checkLabelValue(value).length === 0,
    'must be a label value: at most 63 letters, digits, - _ and ., with a letter or a digit first and last',
  );
