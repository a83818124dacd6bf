/** Builds responses: any JSON value, or an error in plain text. */
import type { Clock } from '../../core/base/clock.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { MaybePromise } from '../../core/base/maybe-promise.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { KernelResponse } from '../../core/contract/request.ts'
import type { BodyAccount } from '../../core/exchange/body-budget.ts'
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

interface Work {
  readonly clock: Clock
  /** Counts the memory of the response in the same budget as request bodies. */
  readonly held: BodyAccount
}

const INDENT = 4

/** Longer responses are sent without indentation. */
const MAX_PRETTY_CHARACTERS = 67_108_864

/** @param pretty Whether the body is indented for human readers. @throws KernelError 503 if not enough memory is available */
export function toResponse(
  answer: ShownResult,
  pretty: boolean,
  style: ResponseStyle,
  { clock, held }: Work,
): MaybePromise<KernelResponse> {
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

/** @throws KernelError 503 if all requests together hold too much memory */
function* prettyJson(value: unknown, held: BodyAccount): Steps<string | undefined> {
  const count = (characters: number): void => held.addText(characters)
  const text = yield* indentedJsonSteps(value as object, INDENT, MAX_PRETTY_CHARACTERS, count)
  return text === undefined ? undefined : `${text}\n`
}

/** @param more Headers in addition to those that every error has. */
export const textResponse = (status: number, text: string, more: KernelResponse['headers'] = {}): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...more },
  body: text,
})

/** Shows the message of a KernelError. Other errors are not shown, because their messages may contain secrets. */
export function errorResponse(thrown: unknown): KernelResponse {
  if (!(thrown instanceof KernelError)) return textResponse(500, 'internal error')
  const { status, message, details } = thrown
  const after = details['retry_after']
  return textResponse(status, message, after === undefined ? {} : { 'Retry-After': String(after) })
}

/** The response of a closed service; requests in progress get it, too. */
export const closedResponse = (): KernelResponse => textResponse(503, 'the service is closed')
