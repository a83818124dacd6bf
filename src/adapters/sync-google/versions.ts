import { isGoogleError } from './failures.ts'
import type { GoogleSecretVersion, ManagerClient } from './sdk.ts'

/** Returns the number in the name of a version; undefined if there is no valid number. Google counts from 1. */
export function versionNumber(version: GoogleSecretVersion | undefined): number | undefined {
  const number = /\/versions\/([1-9]\d{0,14})$/.exec(version?.name ?? '')?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Without permission to list versions, at most this many of the newest versions are destroyed. */
const MAX_VERSIONS_TRIED = 50

/**
 * Destroys the versions from `first` up to, but not including, `version`: the version that was pushed before, and the versions of earlier
 * attempts whose responses were lost. Google numbers versions in order.
 */
export async function destroyBefore(client: ManagerClient, secret: string, version: number, first: number): Promise<void> {
  const left = version - first > 1 ? await enabledBefore(client, secret, version, first) : range(first, version)
  for (const number of left)
    try {
      await client.destroySecretVersion({ name: `${secret}/versions/${number}` })
    } catch (error) {
      // Ignore the refusal of a version that is already destroyed.
      if (!isGoogleError(error, 404) && !isGoogleError(error, 400, 'FAILED_PRECONDITION')) throw error
    }
}

/**
 * The maximum number of versions to list. Without a limit, the SDK would request page after page of an endless list. The next push finds
 * the remaining versions.
 */
const MAX_LISTED = 5000

async function enabledBefore(client: ManagerClient, secret: string, version: number, first: number): Promise<readonly number[]> {
  try {
    const [versions] = await client.listSecretVersions({ parent: secret, filter: 'state:ENABLED' }, { maxResults: MAX_LISTED })
    const numbers = versions.map(versionNumber)
    return numbers.filter((number): number is number => number !== undefined && number >= first && number < version)
  } catch (error) {
    if (!isGoogleError(error, 403)) throw error
    return range(Math.max(first, version - MAX_VERSIONS_TRIED), version)
  }
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
