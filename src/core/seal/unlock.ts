import type { KeyRing } from '../barrier/key-ring.ts'
import { KernelError } from '../base/errors.ts'
import { equalBytes } from '../crypto/equal.ts'
import { type KeyParts, type KeyRecords, type OpenedRing, openKeys, putSeal } from './key-records.ts'
import { openRootKey } from './root-key.ts'

/**
 * Decrypts the barrier keys in the stored records with the root key. If the seal record still has the mark of an unfinished initialization,
 * this function also removes that mark.
 * @param rootKey The root key. This function wipes it.
 */
export async function unlockedRing(parts: KeyParts, records: KeyRecords, rootKey: Uint8Array): Promise<KeyRing> {
  const opened = openKeys(parts, records, rootKey)
  try {
    if (records.seal.untold) await confirm(parts, records)
    checkRootKey(opened, records.rootKey, rootKey)
    return opened.ring
  } catch (error) {
    opened.end()
    throw error
  } finally {
    opened.bytes.fill(0)
    rootKey.fill(0)
  }
}

/**
 * Removes the mark of an unfinished initialization. Unsealing has just succeeded, so the key shares or the seal are available, and the
 * store must not be initialized again.
 * @throws KernelError 503 if another process has just initialized the store again.
 */
async function confirm({ store }: KeyParts, { seal: { untold: _, ...record }, versions }: KeyRecords): Promise<void> {
  const { ok } = await store.commit([putSeal(record, versions.seal)])
  if (!ok) throw new KernelError('ERR_UNAVAILABLE', 'another process has just initialized the store; try again')
}

/** @throws KernelError ERR_INTERNAL if the stored root key that the barrier encrypts differs from `rootKey`. */
function checkRootKey({ ring }: OpenedRing, stored: Uint8Array, rootKey: Uint8Array): void {
  const found = openRootKey(ring, stored)
  const same = found !== undefined && equalBytes(found, rootKey)
  found?.fill(0)
  if (!same) throw new KernelError('ERR_INTERNAL', 'the stored root key is damaged or was written by another program')
}
