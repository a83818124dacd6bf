/**
 * `strongroom/sync/vercel`: secrets are pushed to the environment variables of a Vercel project.
 */
export { SyncError } from '../sync/sync-error.ts'
export { type VercelSyncOptions, vercelSync } from './destination.ts'
