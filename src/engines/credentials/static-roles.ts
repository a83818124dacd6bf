import { backOffAfter } from '../../core/base/back-off.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { DueEffect, PreparedEffect } from '../../core/contract/effect.ts'
import { reportFailure } from '../../core/contract/failed-work.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'

interface RotationEvents {
  /** Whether the rotation is part of a write of the role. */
  readonly isWritten: boolean
  /** The version of the credential, if the engine counts versions. */
  readonly version?: number
}

/** A static role: it rotates the credential of an existing user of an outside system. */
export interface StaticRoleRecord {
  readonly username: string
  /** The time of the last rotation, in milliseconds since the Unix epoch. */
  readonly last: number
  /**
   * The time of the next rotation or retry, in milliseconds since the Unix epoch. The due index, which lists background work by its time,
   * has the same time for this role.
   */
  readonly next: number
  /** The number of consecutive failed rotations. */
  readonly failures: number
}

interface DueRotation<R, I> {
  readonly effect: DueEffect<I, undefined>['effect']
  /**
   * Prepares the rotation. Returns a time in milliseconds since the Unix epoch to rotate later, or undefined if no rotation is needed now.
   */
  readonly prepare: (tx: Tx, name: string, role: R) => PreparedEffect<I, undefined> | number | undefined
  /** Called if `prepare` has refused the rotation. Must schedule the next attempt. */
  readonly onRefusal: (tx: Tx, name: string, refusal: KernelError) => void
}

/** The static roles of an engine. A role, its credential and its due rotation always change in one commit. */
export class StaticRoles<R extends StaticRoleRecord, C> {
  readonly #roles: RecordKind<R>
  readonly #credentials: RecordKind<C>

  constructor(roles: RecordKind<R>, credentials: RecordKind<C>) {
    this.#roles = roles
    this.#credentials = credentials
  }

  /** Stores a role with its new credential, and schedules the next rotation. */
  putRotated(tx: Tx, name: string, role: R, credential: C, { isWritten, version }: RotationEvents): void {
    const { username, next } = role
    const from = tx.get(this.#roles, name)?.next
    tx.put(this.#roles, name, role)
    tx.put(this.#credentials, name, credential)
    tx.due('credential', name, { from, to: next })
    if (isWritten) tx.event('role.written', { name })
    tx.event('static_role.rotated', { name, username, ...(version !== undefined && { version }) })
  }

  delete(tx: Tx, name: string, { next }: R): void {
    tx.delete(this.#roles, name)
    tx.delete(this.#credentials, name)
    tx.due('credential', name, { from: next })
    tx.event('role.deleted', { name })
  }

  /** Stores a role, and moves its rotation to the time `next`. */
  reschedule(tx: Tx, name: string, role: R, next: number): void {
    tx.put(this.#roles, name, { ...role, next })
    tx.due('credential', name, { from: role.next, to: next })
  }

  emitRotationFailed(tx: Tx, name: string, { message }: KernelError): void {
    const username = tx.get(this.#roles, name)?.username
    if (username !== undefined) tx.event('static_role.rotation_failed', { name, username, reason: message })
  }

  /** Schedules the next attempt after the back-off. */
  postpone(tx: Tx, name: string, error: KernelError): void {
    const role = tx.get(this.#roles, name)
    if (!role) return
    const failures = role.failures + 1
    const due = tx.now + backOffAfter(failures)
    this.reschedule(tx, name, { ...role, failures }, due)
    reportFailure(tx, { lane: 'credential', id: name, error, attempt: failures, due })
  }

  dueRotation<I>({ effect, prepare, onRefusal }: DueRotation<R, I>): DueEffect<I, undefined> {
    return {
      effect,
      prepare: (tx, name) => {
        const role = tx.get(this.#roles, name)
        if (!role) return undefined
        try {
          const prepared = prepare(tx, name, role)
          if (typeof prepared !== 'number') return prepared
          if (prepared !== role.next) tx.put(this.#roles, name, { ...role, next: prepared })
          // The commit removes the due rotation, so schedule it again.
          tx.due('credential', name, { to: prepared })
        } catch (thrown) {
          if (!(thrown instanceof KernelError)) throw thrown
          onRefusal(tx, name, thrown)
        }
        return undefined
      },
    }
  }
}
