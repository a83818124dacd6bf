/**
 * `strongroom/orchestrator/kubernetes`: logins of service accounts are reviewed by the API server of their cluster.
 */
export { type KubernetesEnvironmentOptions, kubernetesEnvironment } from './environment.ts'
export { TokenReviewError } from './review-error.ts'
export { type KubernetesTokenReviewerOptions, kubernetesTokenReviewer } from './reviewer.ts'
