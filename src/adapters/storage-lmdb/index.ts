/**
 * `strongroom/storage/lmdb`: the embedded storage.
 */
export { type LmdbStorage, type LmdbStorageOptions, lmdbStorage } from './storage.ts'
