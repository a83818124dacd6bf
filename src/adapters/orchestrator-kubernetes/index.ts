/** `strongroom/orchestrator/kubernetes`: ports of the orchestrator auth method for Kubernetes. */
export { type KubernetesEnvironmentOptions, kubernetesEnvironment } from './environment.ts'
export { TokenReviewError } from './review-error.ts'
export { type KubernetesTokenReviewerOptions, kubernetesTokenReviewer } from './reviewer.ts'
