import { defined } from '../../../model/defined.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';

/* Network policies and endpoints: stored with their defaults, not validated. Nothing here follows them. */

interface Port {
  readonly name?: string;
  readonly protocol?: string;
}

const withProtocol = <T extends Port>(port: T): T => ({ ...port, protocol: port.protocol ?? 'TCP' });

interface PolicySpec {
  readonly podSelector?: object;
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
  readonly policyTypes?: readonly string[];
}

interface PolicyRule {
  readonly ports?: readonly Port[];
}

/** `SetDefaults_NetworkPolicy` */
export const networkPolicyRules: ResourceRules = {
  defaults: (object) => {
    const spec: PolicySpec = object.spec ?? {};
    const { ingress, egress = [], policyTypes = [] } = spec;
    const complete = (rule: PolicyRule): PolicyRule => ({ ...rule, ...defined({ ports: rule.ports?.map(withProtocol) }) });
    const types = policyTypes.length > 0 ? policyTypes : egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    return {
      ...object,
      spec: {
        podSelector: {},
        ...spec,
        ...defined({ ingress: ingress?.map(complete), egress: spec.egress?.map(complete) }),
        policyTypes: types,
      },
    };
  },
};

/** `SetDefaults_EndpointSlice`; conditions are written even if there are none. */
export const endpointSliceRules: ResourceRules = {
  defaults: (object) => {
    const { endpoints = [], ports = [] } = object as ApiObject & { endpoints?: readonly object[]; ports?: readonly Port[] };
    return {
      ...object,
      endpoints: endpoints.map((one) => ({ conditions: {}, ...one })),
      ports: ports.map((port) => ({ ...withProtocol(port), name: port.name ?? '' })),
    };
  },
};

/** `SetDefaults_Endpoints` */
export const endpointsRules: ResourceRules = {
  defaults: (object) => {
    const { subsets } = object as ApiObject & { subsets?: readonly { readonly ports?: readonly Port[] }[] };
    const complete = subsets?.map((subset) => ({ ...subset, ...defined({ ports: subset.ports?.map(withProtocol) }) }));
    return { ...object, ...defined({ subsets: complete }) };
  },
};
