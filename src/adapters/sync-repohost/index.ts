/**
 * `strongroom/sync/repohost`: secrets are pushed to GitHub Actions.
 */
export { SyncError } from '../sync/failure.ts'
export { type RepohostOptions, repohost } from './destination.ts'
