/**
 * The parts of a request that are judged before its token: verb, list flag, media type, body (source: behaviour of the originals).
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { Slices } from '../base/slices.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import type { KernelRequest } from '../contract/request.ts'
import { coerceBool } from '../field/coercion.ts'
import type { Values } from '../field/parse.ts'
import { parseJson, parseJsonNow } from '../json/json.ts'
import { BODY_LIMITS } from '../json/json-cursor.ts'
import { HELP } from '../transaction/help.ts'
import { isForm, parseForm } from './form.ts'
import { type Headers, readMediaType } from './headers.ts'
import type { HeldBody } from './held-bodies.ts'
import { snapshotJsonSoon } from './snapshot.ts'

/** The largest body, as JSON text (spec document 1, "Limits"). */
export const MAX_BODY_BYTES = 33_554_432

const VERBS: ReadonlySet<string> = new Set(['GET', 'LIST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])

/** A request whose members are read once, so that a getter or a proxy cannot answer twice. */
export interface Sent {
  /** A verb as operations declare it, or one that none declares. */
  readonly verb: string
  readonly path: string
  readonly query: Values
  readonly headers: KernelRequest['headers']
  readonly body: unknown
  readonly remoteAddress: string | undefined
}

/**
 * PUT becomes POST; GET with `list=true` becomes LIST.
 * @param checkVerb Refuses verbs of paths where verbs are judged first.
 * @throws KernelError 405, 400, 415
 */
export function readRequest(request: KernelRequest, checkVerb: (sent: Sent) => void): Sent {
  if (typeof request !== 'object' || request === null) throw invalid('request: must be an object')
  const { method, path, query, headers, body, remoteAddress } = read(() => membersOf(request))
  if (helpIsAsked(method, query) && typeof path === 'string')
    return { verb: HELP, path, query: {}, headers, body: undefined, remoteAddress }
  if (typeof method !== 'string' || !VERBS.has(method))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'method: is none this service knows')
  if (typeof path !== 'string') throw invalid('path: must be a string')
  const sent = { verb: method === 'PUT' ? 'POST' : method, path, query, headers, body, remoteAddress }
  checkVerb(sent)
  return readVerb(sent)
}

/** Whether help is requested: the rest of the request then has no effect. */
const helpIsAsked = (method: unknown, query: Values): boolean =>
  method === HELP || !['', undefined].includes([query['help']].flat()[0] as string)

/** Reads every member once, since a getter or a proxy could answer differently or throw the second time. */
function membersOf(request: KernelRequest): Omit<Sent, 'verb'> & { readonly method: unknown } {
  const { method, path, query, headers, body, remote_address } = request
  const remoteAddress = typeof remote_address === 'string' ? remote_address : undefined
  const copied = typeof headers === 'object' && headers !== null ? { ...headers } : undefined
  return { method, path, query: query === undefined ? NO_QUERY : copyQuery(query), headers: copied, body, remoteAddress }
}

function read<T>(members: () => T): T {
  try {
    return members()
  } catch (error) {
    throw error instanceof KernelError ? error : invalid('request: a member could not be read')
  }
}

const NO_QUERY: Values = Object.freeze({})

function readVerb(sent: Sent): Sent {
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

const takesBody = ({ verb }: Sent): boolean => verb === 'POST' || verb === 'PATCH'

/** Longer bodies are parsed only after their sender is known. */
export const LARGE_BODY_BYTES = 1_048_576

/**
 * Whether the body is one that not everybody may send. A body that came parsed is in memory already. @throws KernelError 413
 */
export function isLarge(sent: Sent): boolean {
  const { body } = sent
  if (!takesBody(sent) || !(body instanceof Uint8Array || typeof body === 'string')) return false
  if (body.length > MAX_BODY_BYTES) throw tooLarge()
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
export function readData(sent: Sent, clock: Clock, held: HeldBody): Values | Promise<Values> {
  const { query, body, headers } = sent
  if (!takesBody(sent)) return parametersOf(query)
  if (body === undefined || body === null) return {}
  if (body instanceof Uint8Array || typeof body === 'string') return parse(body, readMediaType(headers), clock, held)
  // The application that parsed the body has admitted it.
  held.judged()
  const later = (steps: Steps<unknown>): Promise<Values> => new Slices(clock).drive(steps).then(objectOf)
  return snapshotJsonSoon<Values | Promise<Values>>(body, MAX_BODY_BYTES, objectOf, later, held.grow)
}

function parse(body: Uint8Array | string, mediaType: string | undefined, clock: Clock, held: HeldBody): Values | Promise<Values> {
  const bytes = typeof body === 'string' ? toUtf8(body) : body
  if (bytes.length > MAX_BODY_BYTES) throw tooLarge()
  if (bytes.length <= SLICE_BYTES) {
    held.holdShort(bytes.length)
    return isForm(mediaType, bytes) ? parseForm(bytes) : objectOf(parseJsonNow(bytes))
  }
  if (isForm(mediaType, bytes)) return parseForm(bytes)
  return held.parse(async () => {
    held.holdTexts(bytes.length)
    return objectOf(await new Slices(clock).drive(parseJson(bytes, BODY_LIMITS, held.grow)))
  })
}

const tooLarge = (): KernelError => new KernelError('ERR_REQUEST_TOO_LARGE', `body: exceeds ${MAX_BODY_BYTES} bytes`)

function objectOf(body: unknown): Values {
  if (body === undefined || body === null) return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body as Values
  throw invalid('body: must be a JSON object')
}

/** Names and values of all parameters together. Longer parameters belong in a body. */
const LONGEST_QUERY = 1_048_576

/** Text, or a list of texts where a name was repeated. */
function copyQuery(query: unknown): Values {
  if (query === null) return NO_QUERY
  if (typeof query !== 'object' || Array.isArray(query)) throw invalid('query: must be an object')
  const values: Record<string, unknown> = Object.create(null)
  let left = LONGEST_QUERY
  for (const [name, value] of Object.entries(query)) {
    const texts: unknown[] = Array.isArray(value) ? [...value] : [value]
    for (const text of texts) {
      if (typeof text !== 'string') throw invalid(`query: ${name.slice(0, 100)} must be text`)
      left -= name.length + text.length + 1
    }
    if (left < 0) throw invalid(`query: exceeds ${LONGEST_QUERY} characters`)
    values[name] = texts.length === 1 ? texts[0] : texts
  }
  return values
}

/** The flags of a request are not parameters of an operation. */
function parametersOf(query: Values): Values {
  if (!('list' in query || 'help' in query)) return query
  const { list: _, help: __, ...parameters } = query
  return parameters
}
