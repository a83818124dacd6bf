/**
 * Versions of a secret: Google numbers them from one.
 */
import { isRefusal } from './failures.ts'
import type { ManagerClient, SecretVersion } from './sdk.ts'

export function versionNumber(version: SecretVersion | undefined): number | undefined {
  const number = /\/versions\/([1-9]\d{0,14})$/.exec(version?.name ?? '')?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Versions that are tried where nobody says which ones are left; the latest. */
const MOST_UNSEEN = 50

/**
 * Destroys what is left before a version, down to `first`: what was pushed last, and what earlier tries added whose answers were lost. Numbers
 * tell which those are, since Google gives them in order.
 */
export async function destroyBefore(client: ManagerClient, secret: string, version: number, first: number): Promise<void> {
  const left = version - first > 1 ? await leftBefore(client, secret, version, first) : range(first, version)
  for (const number of left)
    try {
      await client.destroySecretVersion({ name: `${secret}/versions/${number}` })
    } catch (error) {
      // It is destroyed already.
      if (!isRefusal(error, 404) && !isRefusal(error, 400, 'FAILED_PRECONDITION')) throw error
    }
}

/** The SDK would follow the pages of a list without an end. Later ones are found by the next push. */
const MAX_LISTED = 5000

async function leftBefore(client: ManagerClient, secret: string, version: number, first: number): Promise<readonly number[]> {
  try {
    const [versions] = await client.listSecretVersions({ parent: secret, filter: 'state:ENABLED' }, { maxResults: MAX_LISTED })
    const numbers = versions.map(versionNumber)
    return numbers.filter((number): number is number => number !== undefined && number >= first && number < version)
  } catch (error) {
    if (!isRefusal(error, 403)) throw error
    return range(Math.max(first, version - MOST_UNSEEN), version)
  }
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
