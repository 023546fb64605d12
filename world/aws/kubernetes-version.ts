/** The minor version of Kubernetes that the cluster and its images run, as EKS names it. */
export const KUBERNETES_MINOR = '1.34';
