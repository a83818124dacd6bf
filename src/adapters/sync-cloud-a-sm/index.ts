/**
 * `strongroom/sync/cloud-a-sm`: secrets are pushed to AWS Secrets Manager.
 */
export { SyncError } from '../sync/failure.ts'
export { type CloudASmOptions, cloudASm } from './destination.ts'
export type { CloudAEnvironment } from './settings.ts'
