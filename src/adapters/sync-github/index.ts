/** `strongroom/sync/github`: pushes secrets to GitHub Actions. */
export { SyncError } from '../sync/sync-error.ts'
export { type GithubSyncOptions, githubSync } from './destination.ts'
