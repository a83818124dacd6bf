/**
 * `strongroom/sync/webhost-project`: secrets are pushed to the environment variables of a Vercel project.
 */
export { SyncError } from '../sync/failure.ts'
export { type WebhostProjectOptions, webhostProject } from './destination.ts'
