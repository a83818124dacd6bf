/**
 * Validation of what a cloud client returns. The client is third-party code, so the engine checks the members that it uses.
 */
import type { CloudClient } from './port.ts'

export type CloudMethod = Exclude<keyof CloudClient, 'close'>

type AnswerCheck = (answer: unknown) => boolean

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const has =
  (...names: readonly string[]): AnswerCheck =>
  (answer) =>
    names.every((name) => isText((answer as Readonly<Record<string, unknown>> | null | undefined)?.[name]))

const isListOf =
  (isGood: AnswerCheck): AnswerCheck =>
  (answer) =>
    Array.isArray(answer) && answer.every(isGood)

const both =
  (one: AnswerCheck, other: AnswerCheck): AnswerCheck =>
  (answer) =>
    one(answer) && other(answer)

/** Checks that a member is a finite number of milliseconds. */
const hasTime =
  (name: string): AnswerCheck =>
  (answer) =>
    Number.isFinite((answer as Readonly<Record<string, unknown>>)[name])

const USER = has('userName', 'userId')
const TEXTS = isListOf((value) => typeof value === 'string')
const TEMPORARY = both(has('accessKeyId', 'secretAccessKey', 'sessionToken'), hasTime('expiration'))

/** The checks of answers, by method. Methods without an entry return nothing. */
const ANSWER_CHECKS: Partial<Readonly<Record<CloudMethod, AnswerCheck>>> = {
  getUser: USER,
  createUser: USER,
  listAttachedUserPolicies: TEXTS,
  listUserPolicies: TEXTS,
  listGroupsForUser: TEXTS,
  listAttachedGroupPolicies: TEXTS,
  listGroupPolicies: TEXTS,
  getGroupPolicy: (answer) => typeof answer === 'string',
  createAccessKey: has('accessKeyId', 'secretAccessKey'),
  listAccessKeys: isListOf(both(has('accessKeyId'), hasTime('createDate'))),
  assumeRole: both(TEMPORARY, has('assumedRoleArn')),
  getFederationToken: TEMPORARY,
}

export const isValidAnswer = (method: CloudMethod, answer: unknown): boolean => ANSWER_CHECKS[method]?.(answer) ?? true
