/**
 * `strongroom/sync/cloud-c-sm`: secrets are pushed to Google Secret Manager.
 */
export { SyncError } from '../sync/failure.ts'
export { type CloudCSmOptions, cloudCSm } from './destination.ts'
