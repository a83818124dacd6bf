/**
 * Rotation of a static user's credential: first in the database, then in the store. A role has at most one new credential in progress. The
 * intent keeps this credential until it is known whether the database has accepted it. Otherwise the only copy of an accepted password
 * could be lost.
 */
import { backOffAfter } from '../../../core/base/back-off.ts'
import type { KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, effect, type PreparedEffect } from '../../../core/contract/effect.ts'
import { reportFailure } from '../../../core/contract/failed-work.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { callDatabaseFromEffect, DatabaseNotCalled, tryLogin } from '../database-calls.ts'
import type { DatabaseCredential } from '../port.ts'
import {
  DATABASE_STATIC_CREDENTIAL,
  DATABASE_STATIC_ROLE,
  type DatabaseStaticCredential,
  type DatabaseStaticRole,
} from '../records.ts'
import { connectionAndPluginForRole } from '../role-connection.ts'
import { nextRotation } from '../rotation/rotation.ts'
import { makeSecret } from '../secret/make.ts'

export interface StaticRotationIntent {
  readonly name: string
  /** The role to store. Absent if only the credential changes. */
  readonly written?: DatabaseStaticRole
  readonly username: string
  readonly db_name: string
  readonly statements: readonly string[]
  readonly credential: DatabaseCredential
  /** The credential as it is stored and returned to callers. */
  readonly shown: DatabaseStaticCredential
  /** With `skip_import_rotation`, the user already has this credential: check it by a login and change nothing. */
  readonly adopts?: true
  /** Seconds until the first rotation, if they differ from the role's period or schedule. */
  readonly first?: number
}

/** After the first refusal the same credential is tried again, since the cause may be temporary. After the second, a new one is generated. */
const MAX_REFUSALS = 2

export const ROTATE_STATIC_ROLE = /* @__PURE__ */ effect({
  name: 'static-role',
  replicated: true,
  perform: setCredential,
  finish,
  recover: { perform: recover, finish },
  onRefusal(tx, { name, written }: StaticRotationIntent, refusal, { attempts, mayBeApplied: doubtful }) {
    // If the database certainly refused a role write, nothing is stored and no further work is needed.
    if (written && !doubtful) return undefined
    emitRotationFailed(tx, name, refusal)
    if (!written && attempts < MAX_REFUSALS) return 'again'
    // Rotate again soon. This also applies to a refused role write if an earlier attempt may have taken effect, because the stored
    // credential may then be wrong.
    postpone(tx, name, refusal)
    return undefined
  },
  onUnknownOutcome: (tx, { name }: StaticRotationIntent, error) => emitRotationFailed(tx, name, error),
})

async function setCredential(intent: StaticRotationIntent, outside: EffectContext): Promise<void> {
  const { db_name, username, credential, statements, adopts } = intent
  await callDatabaseFromEffect(outside, db_name, async (connection, signal, record) => {
    if (adopts && credential.type === 'password') await tryLogin(outside, record, username, credential.password, signal)
    else await connection.updateUser({ username, credential, statements }, signal)
  })
}

/**
 * The database was not called now, but an earlier attempt may have set the credential. Do not report a refusal, so that the credential is
 * kept.
 */
async function recover(intent: StaticRotationIntent, outside: EffectContext): Promise<void> {
  try {
    await setCredential(intent, outside)
  } catch (thrown) {
    throw thrown instanceof DatabaseNotCalled ? thrown.refusal : thrown
  }
}

/** Does nothing if the role was deleted in the meantime. */
function finish(tx: Tx, { name, written, shown, first }: StaticRotationIntent): undefined {
  const stored = tx.get(DATABASE_STATIC_ROLE, name)
  const role = written ?? stored
  if (!role) return undefined
  const last = tx.now
  const next = first === undefined ? nextRotation(role.rotation, last) : last + first * 1000
  const version = stored ? (stored.version ?? 1) + 1 : 1
  tx.put(DATABASE_STATIC_ROLE, name, { ...role, last, next, failures: 0, version })
  tx.put(DATABASE_STATIC_CREDENTIAL, name, shown)
  tx.due('credential', name, { from: stored?.next, to: next })
  if (written) tx.event('role.written', { name })
  tx.event('static_role.rotated', { name, username: role.username, version })
  return undefined
}

/** Schedules the next attempt after the back-off. */
export function postpone(tx: Tx, name: string, error: KernelError): void {
  const role = tx.get(DATABASE_STATIC_ROLE, name)
  if (!role) return
  const failures = role.failures + 1
  const next = tx.now + backOffAfter(failures)
  tx.put(DATABASE_STATIC_ROLE, name, { ...role, next, failures })
  tx.due('credential', name, { from: role.next, to: next })
  reportFailure(tx, { lane: 'credential', id: name, error, attempt: failures, due: next })
}

export function emitRotationFailed(tx: Tx, name: string, { message }: KernelError): void {
  const username = tx.get(DATABASE_STATIC_ROLE, name)?.username
  if (username !== undefined) tx.event('static_role.rotation_failed', { name, username, reason: message })
}

/**
 * Prepares a rotation to a newly generated credential.
 * @throws KernelError as {@link connectionAndPluginForRole}, and 400 if the password policy is missing.
 */
export function prepareRotation(tx: Tx, name: string, role: DatabaseStaticRole): PreparedEffect<StaticRotationIntent, undefined> {
  const { db_name, username, rotation_statements: statements } = role
  const { connection } = connectionAndPluginForRole(tx, name, db_name, role.credential.credential_type)
  const made = makeSecret(tx, role.credential, { policy: connection.password_policy, role: name, expiration: tx.now })
  return {
    id: name,
    intent: { name, username, db_name, statements, credential: made.database, shown: made.answer },
    transient: undefined,
    onExistingIntent: 'resume',
  }
}
