/** Reading that goes on where a record is damaged. */
import { isDamage } from '../barrier/is-damage.ts'
import type { Opened, Store } from './store.ts'

/**
 * One by one what could not be read together.
 * @param error What reading together threw. @param isMissing Whether a damaged record counts as one that is not there.
 * @throws `error` where that is no damage, and what a record throws that does not count as missing.
 */
export async function readEach(
  store: Store,
  keys: readonly string[],
  error: unknown,
  isMissing: (key: string) => boolean,
): Promise<readonly (Opened | undefined)[]> {
  if (!isDamage(error)) throw error
  const found: (Opened | undefined)[] = []
  for (const key of keys) {
    const [one] = await store.getMany([key]).catch((why: unknown) => {
      if (isDamage(why) && isMissing(key)) return []
      throw why
    })
    found.push(one)
  }
  return found
}
