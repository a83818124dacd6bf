/**
 * `strongroom/sync/google`: secrets are pushed to Google Secret Manager.
 */
export { SyncError } from '../sync/failure.ts'
export { type GoogleSyncOptions, googleSync } from './destination.ts'
