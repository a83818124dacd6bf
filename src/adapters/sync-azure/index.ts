/**
 * `strongroom/sync/azure`: secrets are pushed to Azure Key Vault.
 */
export { SyncError } from '../sync/sync-error.ts'
export { type AzureSyncOptions, azureSync } from './destination.ts'
