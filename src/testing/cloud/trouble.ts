import type { CloudClient } from '../../engines/cloud/port.ts'
import { readTrouble } from '../read-trouble.ts'

export type CloudCall = Exclude<keyof CloudClient, 'close'>

export interface CloudTrouble {
  /** The method that fails. If absent, any method fails. */
  readonly call?: CloudCall
  /**
   * How the call fails:
   *
   * - `refuses`: the cloud refuses the call with `code`.
   * - `throttled`: the call fails with Throttling.
   * - `fails`: the call fails with status 500.
   * - `unreachable`: there is no connection, so the call has no effect.
   * - `loses`: the connection ends without an answer.
   * - `garbles`: the answer is invalid.
   * - `hangs`: there is no answer until the signal is aborted.
   * - `deaf`: there is no answer at all, and the signal is ignored.
   * - An Error is thrown unchanged. A fake over HTTP treats an Error like `garbles`.
   */
  readonly manner: 'refuses' | 'throttled' | 'fails' | 'unreachable' | 'loses' | 'garbles' | 'hangs' | 'deaf' | Error
  /** The error code of AWS for `refuses`. Default: AccessDenied. */
  readonly code?: string
  /** Whether the call fails before or after it takes effect. Default: `after` for `loses` and `garbles`, `before` for all others. */
  readonly when?: 'before' | 'after'
  /** The number of calls that fail. Default: 1. */
  readonly times?: number
  /** With `every: 3`, only every third matching call fails. Calls that failed because of another failure do not count. Default: 1. */
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

/** The failure that applies to one call, with the defaults filled in. */
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

  /** Adds a failure. Failures that were added earlier apply first. @returns A function that removes this failure. */
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
