/**
 * `strongroom/sync/google`: secrets are pushed to Google Secret Manager.
 */
export { SyncError } from '../sync/sync-error.ts'
export { type GoogleSyncOptions, googleSync } from './destination.ts'
