/** Backups and copies of stores. Their code is loaded by the first call, because most processes never need it. */
import { DeferredCode } from '../base/deferred-code.ts'
import type { BackupOptions, RestoreOptions, RestoreResult } from './backup.ts'
import type { CopyOptions, CopyResult } from './copy-storage.ts'
import type { Storage } from './port.ts'

export type { BackupOptions, BackupProgress, RestoreOptions, RestoreResult } from './backup.ts'
export type { CopyOptions, CopyProgress, CopyResult } from './copy-storage.ts'

const BACKUP = /* @__PURE__ */ new DeferredCode('backups', () => import('./backup.ts'))
const COPY = /* @__PURE__ */ new DeferredCode('copies of stores', () => import('./copy-storage.ts'))

/**
 * Backs up an entire store while other processes use it. The result is a snapshot: it shows all records as they were at one moment during
 * the call. A backup works with every storage, blocks no writer and needs no encryption key. Read the result to its end, because a
 * truncated backup cannot be restored.
 *
 * Values remain encrypted as in the store, and the backup contains the store's root key only as wrapped by the seal. So the restored store
 * can be unsealed only with the same seal. A backup reveals the storage keys (names) and the sizes of records, and nothing in it proves
 * that it is the newest backup. The checksums detect damage but are not a signature, so keep backups where only you can write.
 * @returns Chunks of about a mebibyte: `pipeline(backupStorage(storage), createWriteStream(file, { mode: 0o600 }))`.
 * @throws KernelError ERR_PRECONDITION if the store is an unfinished copy or restore. ERR_UNAVAILABLE if other processes write to the store
 * without a pause.
 */
export async function* backupStorage(storage: Storage, options: BackupOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  const { makeBackup } = await BACKUP.loaded()
  yield* makeBackup(storage, options)
}

/**
 * Restores a backup to an empty store. Until the last byte is verified, a marker in the store prevents kernels from opening it. If the
 * backup is damaged, truncated or of a newer format, or if the process dies, the marker remains, and the next restore starts from the
 * beginning.
 * @param source The bytes in chunks of any size, such as `createReadStream(file)`.
 * @param to An empty store, or one with an unfinished restore.
 * @throws KernelError ERR_PRECONDITION if `to` is not empty or another process writes to it. ERR_INVALID_REQUEST if the bytes are not a
 * complete backup. Also throws the errors of the storage and the source.
 */
export async function restoreStorage(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  to: Storage,
  options: RestoreOptions = {},
): Promise<RestoreResult> {
  const { restoreBackup } = await BACKUP.loaded()
  return restoreBackup(source, to, options)
}

/**
 * Copies all records in `from` to `to`, reads them back and compares every key and value. Values remain encrypted, so both stores are
 * unsealed with the same seal. The copy needs no kernel and no encryption key. **Close every kernel on `from` first**, because writes after
 * the copy are not included. If the source changes during the copy, the call rejects; call it again when no process writes to the source.
 * No other process may write to `to`.
 *
 * `to` must be empty, an unfinished copy, or identical to the source. From the first write until the last comparison, a marker in `to`
 * prevents kernels from opening it. After an interruption of any kind (an abort, an error, a killed process), call this function again to
 * continue: existing records are compared and not written again. A target that has exactly the records of the source is verified and left
 * unchanged. A log in `to` continues after its last copied record.
 *
 * Versions and revisions in the target are new. A replication index that a client got from a kernel on `from` is therefore meaningless to a
 * kernel on `to`.
 * @throws KernelError ERR_PRECONDITION if `to` has other data, if `from` is an unfinished copy or restore or was written to, or if another
 * process writes to `to`; ERR_INTERNAL if `to` does not return what was written; TypeError if a value is larger than `to` allows; errors of
 * the storages.
 */
export async function copyStorage(from: Storage, to: Storage, options: CopyOptions = {}): Promise<CopyResult> {
  const { copyRecords } = await COPY.loaded()
  return copyRecords(from, to, options)
}
