/**
 * Rotation of a static user's credential: first in the database, then in the store. A role has at most one rotation in progress.
 * The intent contains the new credential until it is known whether the database has accepted it; otherwise the only copy of an accepted
 * password could be lost.
 */
import type { KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, effect, type PreparedEffect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { recoveryError } from '../../credentials/intents.ts'
import { callDatabaseFromEffect, tryLogin } from '../database-calls.ts'
import { connectionAndPluginForRole } from '../find-connection.ts'
import type { DatabaseCredential } from '../port.ts'
import {
  DATABASE_STATIC_ROLE,
  DATABASE_STATIC_ROLES,
  type DatabaseStaticCredential,
  type DatabaseStaticRole,
} from '../records.ts'
import { nextRotation } from '../rotation/rotation.ts'
import { makeSecret } from '../secret/make.ts'

export interface StaticRotationIntent {
  readonly name: string
  /** The new role, if the rotation is part of a role write. Absent if only the credential changes. */
  readonly written?: DatabaseStaticRole
  readonly username: string
  readonly db_name: string
  readonly statements: readonly string[]
  readonly credential: DatabaseCredential
  /** The credential as it is stored and returned to callers. */
  readonly shown: DatabaseStaticCredential
  /** Set if the request has `skip_import_rotation`: the user already has `credential`, so check it by a login and change nothing. */
  readonly adopts?: true
  /** The number of seconds until the first rotation, if the request has `first_rotation_after`. */
  readonly first?: number
}

/**
 * After this many refusals of a new credential, another credential is generated. After the first refusal the same credential is tried
 * again, because the cause may be temporary.
 */
const MAX_REFUSALS = 2

export const ROTATE_STATIC_ROLE = /* @__PURE__ */ effect({
  name: 'static-role',
  replicated: true,
  perform: setCredential,
  finish,
  recover: { perform: recover, finish },
  onRefusal(tx, { name, written }: StaticRotationIntent, refusal, { attempts, mayBeApplied: doubtful }) {
    // If a role write was refused and no earlier attempt of it may have taken effect, nothing has changed in the database, so store nothing
    // and drop the intent.
    if (written && !doubtful) return undefined
    if (!written && attempts < MAX_REFUSALS) {
      DATABASE_STATIC_ROLES.emitRotationFailed(tx, name, refusal)
      return 'again'
    }
    // Schedule another rotation after the back-off. This includes a refused role write of which an earlier attempt may have taken effect,
    // because the stored credential may then be wrong.
    rotationFailed(tx, name, refusal)
    return undefined
  },
  onUnknownOutcome: (tx, { name }: StaticRotationIntent, error) => DATABASE_STATIC_ROLES.emitRotationFailed(tx, name, error),
})

async function setCredential(intent: StaticRotationIntent, outside: EffectContext): Promise<void> {
  const { db_name, username, credential, statements, adopts } = intent
  await callDatabaseFromEffect(outside, db_name, async (connection, signal, record) => {
    if (adopts && credential.type === 'password') await tryLogin(outside, record, username, credential.password, signal)
    else await connection.updateUser({ username, credential, statements }, signal)
  })
}

/** Tries again to set the credential. If the database cannot be called, the intent keeps the credential. */
async function recover(intent: StaticRotationIntent, outside: EffectContext): Promise<void> {
  await setCredential(intent, outside).catch((thrown) => {
    throw recoveryError(thrown)
  })
}

/** Stores the credential and schedules the next rotation. Does nothing if the role was deleted during the rotation. */
function finish(tx: Tx, { name, written, shown, first }: StaticRotationIntent): undefined {
  const stored = tx.get(DATABASE_STATIC_ROLE, name)
  const role = written ?? stored
  if (!role) return undefined
  const last = tx.now
  const next = first === undefined ? nextRotation(role.rotation, last) : last + first * 1000
  const version = (stored?.version ?? 0) + 1
  const rotated = { ...role, last, next, failures: 0, version }
  DATABASE_STATIC_ROLES.putRotated(tx, name, rotated, shown, { isWritten: written !== undefined, version })
  return undefined
}

/** Reports a failed rotation and schedules the next attempt after the back-off. */
export function rotationFailed(tx: Tx, name: string, error: KernelError): void {
  DATABASE_STATIC_ROLES.emitRotationFailed(tx, name, error)
  DATABASE_STATIC_ROLES.postpone(tx, name, error)
}

/**
 * Prepares a rotation to a newly generated credential.
 * @throws KernelError 400 if the password policy is missing, and every error of {@link connectionAndPluginForRole}.
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
