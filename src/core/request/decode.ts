/**
 * The parts of a request that are judged before its token: verb, list flag, media type, body (source: behaviour of the originals).
 */
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { KernelRequest } from '../contract/request.ts'
import { bytesOf, copyBody, isUnparsed, parseBody, tooLarge } from '../exchange/body.ts'
import { type Headers, readMediaType } from '../exchange/headers.ts'
import type { HeldBody } from '../exchange/held-bodies.ts'
import { type Received, receive } from '../exchange/sent.ts'
import { coerceBool } from '../field/coercion.ts'
import type { Values } from '../field/parse.ts'
import { HELP } from '../transaction/help.ts'
import { isForm, parseForm } from './form.ts'

/** The largest body, as JSON text (spec document 1, "Limits"). */
export const MAX_BODY_BYTES = 33_554_432

const VERBS: ReadonlySet<string> = new Set(['GET', 'LIST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

export interface DecodedRequest extends Omit<Received, 'method'> {
  /** A verb as operations declare it, or one that none declares. */
  readonly verb: string
  readonly path: string
}

/**
 * PUT becomes POST; GET with `list=true` becomes LIST.
 * @param checkVerb Refuses verbs of paths where verbs are judged first.
 * @throws KernelError 405, 400, 415
 */
export function readRequest(request: KernelRequest, checkVerb: (sent: DecodedRequest) => void): DecodedRequest {
  const { method, path, query, headers, body, remoteAddress } = receive(request)
  if (isHelpRequested(method, query) && typeof path === 'string')
    return { verb: HELP, path, query: {}, headers, body: undefined, remoteAddress }
  if (typeof method !== 'string' || !VERBS.has(method))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'method: is none this service knows')
  if (typeof path !== 'string') throw invalid('path: must be a string')
  const sent = { verb: method === 'PUT' ? 'POST' : method, path, query, headers, body, remoteAddress }
  checkVerb(sent)
  return readVerb(sent)
}

/** Whether help is requested: the rest of the request then has no effect. */
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
  throw new KernelError('ERR_UNSUPPORTED_MEDIA_TYPE', 'Content-Type: PATCH takes application/merge-patch+json')
}

const takesBody = ({ verb }: DecodedRequest): boolean => verb === 'POST' || verb === 'PATCH'

/** Longer bodies are parsed only after their sender is known. */
export const LARGE_BODY_BYTES = 1_048_576

/**
 * Whether the body is one that not everybody may send. A body that came parsed is in memory already. @throws KernelError 413
 */
export function isLarge(sent: DecodedRequest): boolean {
  const { body } = sent
  if (!takesBody(sent) || !isUnparsed(body)) return false
  if (body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES)
  return body.length > LARGE_BODY_BYTES
}

/** Requests that need no token have no use for large bodies. */
export const tooLargeWithoutToken = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', `body: exceeds ${LARGE_BODY_BYTES} bytes, which is the most where no token is needed`)

/**
 * Parameters: from the body for writes, from the query for everything else.
 * @param held Accounts for the memory that the body takes.
 * @throws KernelError 400, 413, 503
 */
export function readData(sent: DecodedRequest, clock: Clock, held: HeldBody): Values | Promise<Values> {
  const { query, body, headers } = sent
  if (!takesBody(sent)) return parametersOf(query)
  if (body === undefined || body === null) return {}
  if (!isUnparsed(body)) return copyBody(body, objectOf, { clock, held, most: MAX_BODY_BYTES })
  const bytes = bytesOf(body, MAX_BODY_BYTES)
  if (!isForm(readMediaType(headers), bytes)) return parseBody(bytes, objectOf, { clock, held })
  if (bytes.length <= SLICE_BYTES) held.holdShort(bytes.length)
  return parseForm(bytes)
}

function objectOf(body: unknown): Values {
  if (body === undefined || body === null) return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body as Values
  throw invalid('body: must be a JSON object')
}

/** The flags of a request are not parameters of an operation. */
function parametersOf(query: Values): Values {
  if (!('list' in query || 'help' in query)) return query
  const { list: _, help: __, ...parameters } = query
  return parameters
}
