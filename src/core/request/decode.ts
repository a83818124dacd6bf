/** The checks that precede the check of the token: verb, list flag, media type and body, in Vault's order. */
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { KernelRequest } from '../contract/request.ts'
import { bodyBytes, copyBody, isUnparsed, parseBody, tooLarge } from '../exchange/body.ts'
import type { BodyAccount } from '../exchange/body-budget.ts'
import { type Headers, readMediaType } from '../exchange/headers.ts'
import { type RequestMembers, readRequestMembers } from '../exchange/request-members.ts'
import { coerceBool } from '../field/coercion.ts'
import type { Values } from '../field/parse.ts'
import { HELP } from '../transaction/help-verb.ts'
import { isForm, parseForm } from './form.ts'

/** The maximum size of a body in bytes of JSON text, as in Vault. */
export const MAX_BODY_BYTES = 33_554_432

const VERBS: ReadonlySet<string> = new Set(['GET', 'LIST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

export interface DecodedRequest extends Omit<RequestMembers, 'method'> {
  /** The verb after the conversions of {@link decodeRequest}. It may be a verb that no operation has, such as `HEAD`. */
  readonly verb: string
  readonly path: string
}

/**
 * Checks the method of a request and determines the verb. Converts PUT to POST, and GET with `list=true` to LIST.
 * @param checkVerb Throws if the path does not support the verb. Checks only the paths whose verb must be checked before anything else.
 * @throws KernelError 405 if the method or the verb is not supported, 400 if the request is malformed, 415 if PATCH has another media type
 * than JSON Merge Patch
 */
export function decodeRequest(request: KernelRequest, checkVerb: (sent: DecodedRequest) => void): DecodedRequest {
  const { method, path, query, headers, body, remoteAddress } = readRequestMembers(request)
  if (isHelpRequested(method, query) && typeof path === 'string')
    return { verb: HELP, path, query: {}, headers, body: undefined, remoteAddress }
  if (typeof method !== 'string' || !VERBS.has(method))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'method: must be GET, LIST, HEAD, POST, PUT, PATCH, DELETE or OPTIONS')
  if (typeof path !== 'string') throw invalid('path: must be a string')
  const sent = { verb: method === 'PUT' ? 'POST' : method, path, query, headers, body, remoteAddress }
  checkVerb(sent)
  return readVerb(sent)
}

/** Whether the request asks for help. If so, its other properties are ignored. */
function isHelpRequested(method: unknown, query: Values): boolean {
  const sent = query['help']
  const help: unknown = Array.isArray(sent) ? sent[0] : sent
  return method === HELP || (help !== undefined && help !== '')
}

function readVerb(sent: DecodedRequest): DecodedRequest {
  const { verb } = sent
  if (verb === 'PATCH') checkPatchType(sent.headers)
  if (verb === 'GET' && 'list' in sent.query && coerceBool([sent.query['list']].flat()[0], 'list'))
    return { ...sent, verb: 'LIST' }
  return sent
}

function checkPatchType(headers: Headers): void {
  if (readMediaType(headers) === 'application/merge-patch+json') return
  throw new KernelError('ERR_UNSUPPORTED_MEDIA_TYPE', 'Content-Type: must be application/merge-patch+json for PATCH')
}

const takesBody = ({ verb }: DecodedRequest): boolean => verb === 'POST' || verb === 'PATCH'

/** The size above which a body is parsed only after the token was validated. */
export const LARGE_BODY_BYTES = 1_048_576

/**
 * Whether the body is too large to be parsed before the token is validated. False for a body that is already parsed. @throws KernelError
 * 413 if the body is larger than {@link MAX_BODY_BYTES}
 */
export function isLarge(sent: DecodedRequest): boolean {
  const { body } = sent
  if (!takesBody(sent) || !isUnparsed(body)) return false
  if (body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES)
  return body.length > LARGE_BODY_BYTES
}

/** Operations that need no token have no large parameters, so they refuse large bodies. */
export const tooLargeWithoutToken = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `body: must not exceed ${LARGE_BODY_BYTES} bytes for requests without a token`)

/**
 * Returns the parameters of the request: the members of the body for writes, and the query parameters for all other verbs.
 * @param held The account for the memory that the body uses.
 * @throws KernelError 400, 413, 503
 */
export function readData(sent: DecodedRequest, clock: Clock, held: BodyAccount): Values | Promise<Values> {
  const { query, body, headers } = sent
  if (!takesBody(sent)) return parametersOf(query)
  if (body === undefined || body === null) return {}
  if (!isUnparsed(body)) return copyBody(body, objectOf, { clock, held, most: MAX_BODY_BYTES })
  const bytes = bodyBytes(body, MAX_BODY_BYTES)
  if (!isForm(readMediaType(headers), bytes)) return parseBody(bytes, objectOf, { clock, held })
  if (bytes.length <= SLICE_BYTES) held.addShort(bytes.length)
  return parseForm(bytes)
}

function objectOf(body: unknown): Values {
  if (body === undefined || body === null) return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body as Values
  throw invalid('body: must be a JSON object')
}

/** Returns the query parameters that are passed to the operation. Omits `list` and `help`, which control the request. */
function parametersOf(query: Values): Values {
  if (!('list' in query || 'help' in query)) return query
  const { list: _, help: __, ...parameters } = query
  return parameters
}
