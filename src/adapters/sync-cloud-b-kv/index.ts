/**
 * `strongroom/sync/cloud-b-kv`: secrets are pushed to Azure Key Vault.
 */
export { SyncError } from '../sync/failure.ts'
export { type CloudBKvOptions, cloudBKv } from './destination.ts'
