/** `strongroom/sync/google`: pushes secrets to Google Secret Manager. */
export { SyncError } from '../sync/sync-error.ts'
export { type GoogleSyncOptions, googleSync } from './destination.ts'
