/**
 * Answers of the configuration service: any JSON value, refusals as plain text.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { KernelResponse } from '../../core/contract/request.ts'
import { jsonText } from '../../core/json/json-text.ts'
import type { DefaultPolicy } from '../rules/index.ts'

export interface Shown {
  readonly value: unknown
  readonly index?: number | undefined
  readonly filtered?: boolean
  readonly mode?: string
}

export interface AnswerStyle {
  readonly prefix: string
  readonly defaultPolicy: DefaultPolicy
}

const INDENT = 4

/** @param pretty Whether the body is laid out for people; it is a text then. */
export function shown({ value, index, filtered, mode }: Shown, pretty: boolean, style: AnswerStyle): KernelResponse {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (index !== undefined) {
    const { prefix } = style
    headers[`${prefix}-Index`] = String(index)
    headers[`${prefix}-KnownLeader`] = 'true'
    headers[`${prefix}-LastContact`] = '0'
    headers[`${prefix}-Effective-Consistency`] = mode ?? 'leader'
    headers[`${prefix}-Query-Backend`] = 'blocking-query'
    headers[`${prefix}-Default-ACL-Policy`] = style.defaultPolicy
  }
  if (filtered) headers[`${style.prefix}-Results-Filtered-By-ACLs`] = 'true'
  return { status: 200, headers, body: pretty ? laidOut(value) : value }
}

/** Values come from records that hold no number beyond those of JSON. */
const laidOut = (value: unknown): string => `${JSON.stringify(JSON.parse(jsonText(value as object)), null, INDENT)}\n`

/** @param more Headers beside those of every refusal. */
export const refused = (status: number, text: string, more: KernelResponse['headers'] = {}): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...more },
  body: text,
})

/** A refusal says why; of a failure nothing is said. */
export function failureOf(thrown: unknown): KernelResponse {
  if (!(thrown instanceof KernelError)) return refused(500, 'internal error')
  const { status, message, details } = thrown
  const after = details['retry_after']
  return refused(status, message, after === undefined ? {} : { 'Retry-After': String(after) })
}

/** A closed service answers so, also what was under way. */
export const closedAnswer = (): KernelResponse => refused(503, 'the service is closed')
