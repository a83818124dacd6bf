/** `strongroom/sync/vercel`: pushes secrets to the environment variables of a Vercel project. */
export { SyncError } from '../sync/sync-error.ts'
export { type VercelSyncOptions, vercelSync } from './destination.ts'
