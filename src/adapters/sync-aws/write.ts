/** Writes a value, whether the name is new, exists, or is scheduled for deletion. */

import { createHash } from 'node:crypto'
import type { SyncPut } from '../../sys/sync/port.ts'
import { SyncError, syncError } from '../sync/sync-error.ts'
import { errorNameOf, isBeingDeleted } from './failures.ts'
import type { SecretsSdk, WriteResult } from './sdk.ts'

/**
 * AWS ignores a write whose token belongs to an existing version, even if that version is no longer current. So the token also depends on
 * the previous version: writing an earlier value again creates a new version, and retrying a write does not.
 */
function clientRequestToken(opId: string, previous: string | undefined): string {
  if (previous === undefined) return opId
  const hex = createHash('sha256').update(`${opId}\n${previous}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

export type Send = (name: Exclude<keyof SecretsSdk, 'SecretsManagerClient'>, input: object) => Promise<unknown>

export const tagList = (tags: Readonly<Record<string, string>>): readonly object[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

/**
 * The maximum number of attempts to write in one push. If the state of the name changes more often, another client is using the name, too.
 */
const MAX_STEPS = 4

/**
 * Writes the secret. If it is scheduled for deletion, AWS refuses the call that creates it, and AWS emulators refuse the call that updates
 * it. After such a refusal, the secret is restored and written again.
 */
export async function writeAwsSecret(request: SyncPut, send: Send): Promise<{ versionId: string; created: boolean }> {
  const { name, value, tags, opId, previous, mode } = request
  const content = { SecretString: value, ClientRequestToken: clientRequestToken(opId, previous) }
  let creating = previous === undefined || mode === 'create'
  for (let step = 0; step < MAX_STEPS; step++)
    try {
      const written = creating
        ? await send('CreateSecretCommand', { Name: name, ...content, Tags: tagList(tags) })
        : await send('UpdateSecretCommand', { SecretId: name, ...content })
      return { versionId: versionIn(written), created: creating }
    } catch (error) {
      if (error instanceof SyncError) throw error
      if (mode === 'create') throw holdsName(error) ? syncError('conflict', errorNameOf(error)) : error
      if (isBeingDeleted(error)) creating = !(await restored(name, send))
      else if (creating && errorNameOf(error) === 'ResourceExistsException') creating = false
      else if (!creating && errorNameOf(error) === 'ResourceNotFoundException') creating = true
      else throw error
    }
  throw syncError('conflict', 'changing')
}

/** @throws SyncError if the response contains no version. It is then unknown whether the value was written. */
function versionIn(written: unknown): string {
  const { VersionId } = (written ?? {}) as WriteResult
  if (typeof VersionId !== 'string' || VersionId === '') throw syncError('external', 'no_version')
  return VersionId
}

const holdsName = (error: unknown): boolean => errorNameOf(error) === 'ResourceExistsException' || isBeingDeleted(error)

/** @returns False if the secret was deleted in the meantime. */
async function restored(name: string, send: Send): Promise<boolean> {
  try {
    await send('RestoreSecretCommand', { SecretId: name })
    return true
  } catch (error) {
    if (errorNameOf(error) === 'ResourceNotFoundException') return false
    throw error
  }
}
