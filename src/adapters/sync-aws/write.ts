/**
 * A value comes to AWS whatever state its name is in: unknown, there, or waiting for its deletion.
 */
import type { SyncPut } from '../../sys/sync/port.ts'
import { failed, SyncError } from '../sync/failure.ts'
import { isBeingDeleted, nameOf } from './failures.ts'
import type { SecretsSdk, Written } from './sdk.ts'
import { requestToken } from './token.ts'

export type Send = (name: Exclude<keyof SecretsSdk, 'SecretsManagerClient'>, input: object) => Promise<unknown>

export const tagList = (tags: Readonly<Record<string, string>>): readonly object[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

/** A name whose state changes more often under one push is somebody else's too. */
const MOST_STEPS = 4

/** AWS says that a secret waits for its deletion to the call that creates it, its emulators to the one that updates it. */
export async function write(request: SyncPut, send: Send): Promise<{ versionId: string; created: boolean }> {
  const { name, value, tags, opId, previous, mode } = request
  const content = { SecretString: value, ClientRequestToken: requestToken(opId, previous) }
  let creating = previous === undefined || mode === 'create'
  for (let step = 0; step < MOST_STEPS; step++)
    try {
      const written = creating
        ? await send('CreateSecretCommand', { Name: name, ...content, Tags: tagList(tags) })
        : await send('UpdateSecretCommand', { SecretId: name, ...content })
      return { versionId: versionIn(written), created: creating }
    } catch (error) {
      if (error instanceof SyncError) throw error
      if (mode === 'create') throw holdsName(error) ? failed('conflict', nameOf(error)) : error
      if (isBeingDeleted(error)) creating = !(await restored(name, send))
      else if (creating && nameOf(error) === 'ResourceExistsException') creating = false
      else if (!creating && nameOf(error) === 'ResourceNotFoundException') creating = true
      else throw error
    }
  throw failed('conflict', 'changing')
}

/** @throws SyncError for an answer without the version, which says nothing of the value. */
function versionIn(written: unknown): string {
  const { VersionId } = (written ?? {}) as Written
  if (typeof VersionId !== 'string' || VersionId === '') throw failed('external', 'no_version')
  return VersionId
}

const holdsName = (error: unknown): boolean => nameOf(error) === 'ResourceExistsException' || isBeingDeleted(error)

/** @returns Whether it is there again; else the time of its deletion had come. */
async function restored(name: string, send: Send): Promise<boolean> {
  try {
    await send('RestoreSecretCommand', { SecretId: name })
    return true
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return false
    throw error
  }
}
