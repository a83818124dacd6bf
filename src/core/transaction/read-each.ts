import { isDamage } from '../barrier/is-damage.ts'
import type { DecryptedRecord, Store } from './store.ts'

/**
 * Reads keys one by one. Call it when reading all of them in one call has failed, to find out which records are damaged.
 * @param error The error of the call that read all keys. @param isMissing Whether a damaged record counts as missing.
 * @throws `error` if its cause is not damage, and the error of a damaged record that does not count as missing.
 */
export async function readEach(
  store: Store,
  keys: readonly string[],
  error: unknown,
  isMissing: (key: string) => boolean,
): Promise<readonly (DecryptedRecord | undefined)[]> {
  if (!isDamage(error)) throw error
  const found: (DecryptedRecord | undefined)[] = []
  for (const key of keys) {
    const [one] = await store.getMany([key]).catch((why: unknown) => {
      if (isDamage(why) && isMissing(key)) return []
      throw why
    })
    found.push(one)
  }
  return found
}
