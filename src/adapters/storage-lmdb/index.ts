/**
 * `strongroom/storage/lmdb`: the embedded storage.
 */
export { type LmdbStorageOptions, lmdbStorage } from './storage.ts'
