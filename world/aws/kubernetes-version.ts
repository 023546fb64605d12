/** The minor version of Kubernetes that the cluster runs, as EKS names it, and that its images are for. */
export const KUBERNETES_MINOR = '1.34';
