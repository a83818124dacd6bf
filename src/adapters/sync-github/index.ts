/**
 * `strongroom/sync/github`: secrets are pushed to GitHub Actions.
 */
export { SyncError } from '../sync/failure.ts'
export { type GithubSyncOptions, githubSync } from './destination.ts'
