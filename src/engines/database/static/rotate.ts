/**
 * A static user gets a new credential: outside, and then in the store. One value at a time for each role, and the same one until it is known
 * whether the database has it.
 */
import { backOffAfter } from '../../../core/base/back-off.ts'
import type { KernelError } from '../../../core/base/errors.ts'
import { effect, type Outside, type Prepared } from '../../../core/contract/effect.ts'
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
  /** The role as a write wants it; absent where only the credential changes. */
  readonly written?: DatabaseStaticRole
  readonly username: string
  readonly db_name: string
  readonly statements: readonly string[]
  readonly credential: DatabaseCredential
  /** What is stored, and given out. */
  readonly shown: DatabaseStaticCredential
  /** The user has that credential already: it is tried, and nothing changed. */
  readonly adopts?: true
  /** Seconds from then to the first rotation, where it is not as all the others. */
  readonly first?: number
}

/** A refused value is tried once more, since the refusal may be about something else; then another one is made. */
const MAX_REFUSALS = 2

export const ROTATE_STATIC_ROLE = /* @__PURE__ */ effect({
  name: 'static-role',
  replicated: true,
  perform: setCredential,
  finish,
  recover: { perform: recover, finish },
  refused(tx, { name, written }: StaticRotationIntent, refusal, { attempts, doubtful }) {
    // Nothing is stored of a write that the database refuses, and by itself it has changed nothing there.
    if (written && !doubtful) return undefined
    emitRotationFailed(tx, name, refusal)
    if (!written && attempts < MAX_REFUSALS) return 'again'
    // Also behind a write of which the database may have taken the value before: what is stored would not hold for long.
    postpone(tx, name, refusal)
    return undefined
  },
  unsure: (tx, { name }: StaticRotationIntent, error) => emitRotationFailed(tx, name, error),
})

async function setCredential(intent: StaticRotationIntent, outside: Outside): Promise<void> {
  const { db_name, username, credential, statements, adopts } = intent
  await callDatabaseFromEffect(outside, db_name, async (connection, signal, record) => {
    if (adopts && credential.type === 'password') await tryLogin(outside, record, username, credential.password, signal)
    else await connection.updateUser({ username, credential, statements }, signal)
  })
}

/** Who was not asked has refused nothing, and may have taken the value before: it stays the same one. */
async function recover(intent: StaticRotationIntent, outside: Outside): Promise<void> {
  try {
    await setCredential(intent, outside)
  } catch (thrown) {
    throw thrown instanceof DatabaseNotCalled ? thrown.refusal : thrown
  }
}

/** Also for a role that has been deleted meanwhile, where there is nothing left to do. */
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

/** It is due again after the back-off. */
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

/** A new value for a role as it is. @throws KernelError as `grantedFor`, and 400 for a password policy that is not there. */
export function prepareRotation(tx: Tx, name: string, role: DatabaseStaticRole): Prepared<StaticRotationIntent, undefined> {
  const { db_name, username, rotation_statements: statements } = role
  const { connection } = connectionAndPluginForRole(tx, name, db_name, role.credential.credential_type)
  const made = makeSecret(tx, role.credential, { policy: connection.password_policy, role: name, expiration: tx.now })
  return {
    id: name,
    intent: { name, username, db_name, statements, credential: made.database, shown: made.answer },
    carried: undefined,
    leftover: 'resume',
  }
}
