/** The checks that precede the check of the token: verb, list flag, media type and body, in Vault's order. */
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { KernelRequest } from '../contract/request.ts'
import { bodyBytes, copyBody, isUnparsed, parseBody, tooLarge } from '../exchange/body.ts'
import type { BodyAccount } from '../exchange/body-budget.ts'
import { type Headers, readHeader, readMediaType } from '../exchange/headers.ts'
import { readRequestMembers } from '../exchange/request-members.ts'
import { coerceBool } from '../field/coercion.ts'
import type { Values } from '../field/parse.ts'
import { HELP } from '../transaction/help-verb.ts'
import type { AnyStateRoutes } from './any-state-routes.ts'
import { isForm, parseForm } from './form.ts'
import type { OwnHeaderNames } from './own-headers.ts'
import { type DecodedRequest, decodedRequest } from './path-request.ts'

/** The maximum size of a body in bytes of JSON text, as in Vault. */
export const MAX_BODY_BYTES = 33_554_432

const VERBS: ReadonlySet<string> = new Set(['GET', 'LIST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

/**
 * Checks the method of a request and determines the verb. Converts PUT to POST, and GET with `list=true` to LIST.
 * @throws KernelError 405 if the method or the verb is not supported, 400 if the request is malformed, 415 if PATCH has another media type
 * than JSON Merge Patch
 */
export function decodeRequest(
  request: KernelRequest,
  bodyAccount: BodyAccount,
  names: OwnHeaderNames,
  anyState: AnyStateRoutes,
): DecodedRequest {
  const members = readRequestMembers(request)
  const { method, path, query, headers } = members
  const namespace = readHeader(headers, names.namespace)
  if (isHelpRequested(method, query) && typeof path === 'string')
    return decodedRequest(HELP, path, { ...members, query: {}, body: undefined }, namespace, bodyAccount)
  if (typeof method !== 'string' || !VERBS.has(method))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'method: must be GET, LIST, HEAD, POST, PUT, PATCH, DELETE or OPTIONS')
  if (typeof path !== 'string') throw invalid('path: must be a string')
  const verb = method === 'PUT' ? 'POST' : method
  anyState.checkVerb(verb, path, namespace)
  if (verb === 'PATCH') checkPatchType(headers)
  return decodedRequest(verb === 'GET' && isListRequested(query) ? 'LIST' : verb, path, members, namespace, bodyAccount)
}

/** Whether the request asks for help. If so, its other properties are ignored. */
function isHelpRequested(method: unknown, query: Values): boolean {
  const sent = query['help']
  const help: unknown = Array.isArray(sent) ? sent[0] : sent
  return method === HELP || (help !== undefined && help !== '')
}

const isListRequested = (query: Values): boolean => 'list' in query && coerceBool([query['list']].flat()[0], 'list')

function checkPatchType(headers: Headers): void {
  if (readMediaType(headers) === 'application/merge-patch+json') return
  throw new KernelError('ERR_UNSUPPORTED_MEDIA_TYPE', 'Content-Type: must be application/merge-patch+json for PATCH')
}

const takesBody = ({ verb }: DecodedRequest): boolean => verb === 'POST' || verb === 'PATCH'

/** The size above which a body is parsed only after the token was validated. */
const LARGE_BODY_BYTES = 1_048_576

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
 * @throws KernelError 400, 413, 503
 */
export function readData(sent: DecodedRequest, clock: Clock): Values | Promise<Values> {
  const { query, body, headers, bodyAccount: held } = sent
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
