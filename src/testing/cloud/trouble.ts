/**
 * Trouble that calls of the fake cloud meet when they are told to.
 */

import type { CloudClient } from '../../engines/cloud/port.ts'
import { readTrouble } from '../read-trouble.ts'

export type CloudCall = Exclude<keyof CloudClient, 'close'>

export interface CloudTrouble {
  /** Absent: any call. */
  readonly call?: CloudCall
  /**
   * `refuses`: the cloud says no, with `code`. `throttled`: Throttling. `fails`: 500. `unreachable`: no connection, so nothing was done.
   * `loses`: the connection ends without an answer. `garbles`: the answer is no answer. `hangs`: nothing comes until the signal ends the
   * call. `deaf`: nothing comes at all, whatever the signal says. An Error: it is thrown as it is (over HTTP: `garbles`).
   */
  readonly manner: 'refuses' | 'throttled' | 'fails' | 'unreachable' | 'loses' | 'garbles' | 'hangs' | 'deaf' | Error
  /** AWS's, with `refuses`. Default: AccessDenied. */
  readonly code?: string
  /** Before the call is applied, or after; the default is `after` with `loses` and `garbles`, `before` with all others. */
  readonly when?: 'before' | 'after'
  /** How many calls meet it. Default: 1. */
  readonly times?: number
  /** Every nth of these calls meets it. Default: each. */
  readonly every?: number
}

const CALLS = Object.keys({
  getUser: 1,
  createUser: 1,
  deleteUser: 1,
  tagUser: 1,
  attachUserPolicy: 1,
  detachUserPolicy: 1,
  listAttachedUserPolicies: 1,
  putUserPolicy: 1,
  deleteUserPolicy: 1,
  listUserPolicies: 1,
  addUserToGroup: 1,
  removeUserFromGroup: 1,
  listGroupsForUser: 1,
  listAttachedGroupPolicies: 1,
  listGroupPolicies: 1,
  getGroupPolicy: 1,
  createAccessKey: 1,
  listAccessKeys: 1,
  updateAccessKey: 1,
  deleteAccessKey: 1,
  deleteUserExtras: 1,
  assumeRole: 1,
  getFederationToken: 1,
} satisfies Readonly<Record<CloudCall, 1>>)
const MANNERS = ['refuses', 'throttled', 'fails', 'unreachable', 'loses', 'garbles', 'hangs', 'deaf']
const TIMES = ['before', 'after']

/** What a call meets. */
export interface MetTrouble {
  readonly manner: CloudTrouble['manner']
  readonly code: string
  readonly when: 'before' | 'after'
}

interface PendingTrouble {
  readonly trouble: CloudTrouble
  left: number
  seen: number
}

export class CloudTroubles {
  #told: PendingTrouble[] = []

  /** Trouble that was told earlier comes first. @returns What takes it back. */
  add(given: CloudTrouble): () => void {
    const choices = { call: CALLS, manner: MANNERS, when: TIMES }
    const trouble = readTrouble('fakeCloud.trouble', given, choices, { code: 1, every: 1 })
    const told: PendingTrouble = { trouble, left: trouble.times ?? 1, seen: 0 }
    this.#told.push(told)
    return () => {
      told.left = 0
    }
  }

  next(call: CloudCall | undefined): MetTrouble | undefined {
    this.#told = this.#told.filter(({ left }) => left > 0)
    for (const told of this.#told) {
      const { trouble } = told
      if (trouble.call !== undefined && trouble.call !== call) continue
      told.seen++
      if (told.seen % (trouble.every ?? 1) !== 0) continue
      told.left--
      return resolveTrouble(trouble)
    }
    return undefined
  }
}

function resolveTrouble({ manner, code = 'AccessDenied', when }: CloudTrouble): MetTrouble {
  const late = manner === 'loses' || manner === 'garbles'
  return {
    manner,
    code: manner === 'throttled' ? 'Throttling' : manner === 'fails' ? 'ServiceFailure' : code,
    when: manner === 'unreachable' ? 'before' : (when ?? (late ? 'after' : 'before')),
  }
}
