/** `aws:///us-east-1a/i-0123`: the provider id that the AWS cloud provider, kubelets and autoscalers use. */
export function formatProviderId({ zone, id }: { readonly zone: string; readonly id: string }): string {
  return `aws:///${zone}/${id}`;
}

/** The instance id in a provider id; undefined for anything not of the form `aws:///ZONE/i-HEX`. */
export function parseProviderId(providerId: string | undefined): string | undefined {
  return /^aws:\/\/\/[a-z0-9-]+\/(i-[0-9a-f]+)$/.exec(providerId ?? '')?.[1];
}
