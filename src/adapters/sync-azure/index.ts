/** `strongroom/sync/azure`: pushes secrets to Azure Key Vault. */
export { SyncError } from '../sync/sync-error.ts'
export { type AzureSyncOptions, azureSync } from './destination.ts'
