/** `strongroom/sync/aws`: pushes secrets to AWS Secrets Manager. */
export { SyncError } from '../sync/sync-error.ts'
export { type AwsSyncOptions, awsSync } from './destination.ts'
export type { AwsSyncEnvironment } from './settings.ts'
