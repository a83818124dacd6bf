/**
 * Answers of the configuration service: any JSON value, refusals as plain text.
 */
import type { Clock } from '../../core/base/clock.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { Eventually } from '../../core/base/eventually.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { KernelResponse } from '../../core/contract/request.ts'
import type { HeldBody } from '../../core/exchange/held-bodies.ts'
import { indentedJsonSteps } from '../../core/json/json-text.ts'
import type { DefaultPolicy } from '../rules/index.ts'

export interface ShownResult {
  readonly value: unknown
  readonly index?: number | undefined
  readonly filtered?: boolean
  readonly mode?: string
}

export interface ResponseStyle {
  readonly prefix: string
  readonly defaultPolicy: DefaultPolicy
}

/** Parts that are needed to make the answer. */
interface Work {
  readonly clock: Clock
  /** Counts the text of the answer, which is held together with bodies. */
  readonly held: HeldBody
}

const INDENT = 4

/** Longer texts are not laid out: the answer is the plain value. */
const MAX_PRETTY_CHARACTERS = 67_108_864

/** @param pretty Whether the body is a text that is laid out for people. @throws KernelError 503 if there is no memory for it */
export function toResponse(
  answer: ShownResult,
  pretty: boolean,
  style: ResponseStyle,
  { clock, held }: Work,
): Eventually<KernelResponse> {
  const { value } = answer
  const headers = headersOf(answer, style)
  if (!pretty) return { status: 200, headers, body: value }
  return new Slices(clock).drive(prettyJson(value, held)).then((text) => ({ status: 200, headers, body: text ?? value }))
}

function headersOf({ index, filtered, mode }: ShownResult, style: ResponseStyle): Readonly<Record<string, string>> {
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
  return headers
}

/** @throws KernelError 503 if all requests together hold too much */
function* prettyJson(value: unknown, held: HeldBody): Steps<string | undefined> {
  const count = (characters: number): void => held.holdTexts(characters)
  const text = yield* indentedJsonSteps(value as object, INDENT, MAX_PRETTY_CHARACTERS, count)
  return text === undefined ? undefined : `${text}\n`
}

/** @param more Headers beside those of every refusal. */
export const textResponse = (status: number, text: string, more: KernelResponse['headers'] = {}): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...more },
  body: text,
})

/** A refusal says why; of a failure nothing is said. */
export function errorResponse(thrown: unknown): KernelResponse {
  if (!(thrown instanceof KernelError)) return textResponse(500, 'internal error')
  const { status, message, details } = thrown
  const after = details['retry_after']
  return textResponse(status, message, after === undefined ? {} : { 'Retry-After': String(after) })
}

/** A closed service answers so, also what was under way. */
export const closedResponse = (): KernelResponse => textResponse(503, 'the service is closed')
