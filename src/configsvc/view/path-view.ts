/** The path view: `handle(request)`. It never throws and opens no sockets. */
import type { Clock } from '../../core/base/clock.ts'
import { invalid, KernelError } from '../../core/base/errors.ts'
import { type MaybePromise, settle, whenAvailable } from '../../core/base/maybe-promise.ts'
import type { AnyOperation, Operations } from '../../core/contract/operation.ts'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import type { TracedRequest, Tracer } from '../../core/contract/tracer.ts'
import { bodyBytes, copyBody, isUnparsed, parseBody } from '../../core/exchange/body.ts'
import type { BodyAccount, BodyBudget } from '../../core/exchange/body-budget.ts'
import type { Gate } from '../../core/exchange/gate.ts'
import { readHeader, readToken } from '../../core/exchange/headers.ts'
import { parsePath } from '../../core/exchange/path.ts'
import { type RequestMembers, readRequestMembers } from '../../core/exchange/request-members.ts'
import { noteOperation, noteStatus, tracedRequest } from '../../core/exchange/traced-request.ts'
import type { Values } from '../../core/field/parse.ts'
import { RouteTable } from '../../core/transaction/route-table.ts'
import { CONFIGSVC } from '../../core/transaction/service-keyspaces.ts'
import { callBy } from '../call.ts'
import { type AnyConfigOperation, type ConfigOperations, maxBodyBytesOf, notFoundMessageOf } from '../operation.ts'
import type { ConfigSettings } from '../settings.ts'
import type { BlockingReads } from './blocking-reads.ts'
import { readConsistency, readWait } from './consistency.ts'
import { readConfigInput } from './read-input.ts'
import { closedResponse, errorResponse, textResponse, toResponse } from './response.ts'

const VERBS = ['GET', 'PUT', 'POST', 'DELETE'] as const

export interface ConfigPathViewParts {
  readonly operations: ConfigOperations
  readonly clock: Clock
  readonly gate: Gate
  readonly settings: ConfigSettings
  readonly bodies: BodyBudget
  readonly tracer: Tracer
  /** The id of the kernel; undefined for a service with a store of its own. */
  readonly kernelId: string | undefined
  readonly reads: BlockingReads
  /** Returns undefined if the service is ready; otherwise a promise that resolves when the service is ready. */
  readonly ready: () => Promise<void> | undefined
}

/** A request for which an operation was found. */
interface RoutedRequest {
  readonly received: RequestMembers
  readonly operation: AnyConfigOperation
  readonly captures: Readonly<Record<string, string>>
  readonly held: BodyAccount
  readonly signal: () => AbortSignal | undefined
}

export class ConfigPathView {
  readonly #parts: ConfigPathViewParts
  readonly #routes: RouteTable
  readonly #engine: { readonly type: string; readonly operations: Operations }

  constructor(parts: ConfigPathViewParts) {
    this.#parts = parts
    // The cast is safe, because the routing table reads only the members `path`, `verb` and `exclusive` of an operation.
    this.#engine = { type: CONFIGSVC, operations: parts.operations as unknown as Operations }
    this.#routes = RouteTable.of(this.#engine.operations)
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    const { tracer, kernelId } = this.#parts
    if (!tracer.listening) return this.#handle(request)
    const traced = tracedRequest(request, { ...(kernelId !== undefined && { kernel: kernelId }), engine: CONFIGSVC })
    return tracer.request(traced, () => this.#handle(request, traced), noteStatus)
  }

  #handle(request: KernelRequest, traced?: TracedRequest): Promise<KernelResponse> {
    const held = this.#parts.bodies.open()
    const { done, failed } = this.#completions(held)
    const made = settle(() => this.#answer(request, held, traced), done, failed)
    return made instanceof Promise ? this.#parts.gate.track(made) : Promise.resolve(made)
  }

  /** Kept separate from the request: a waiting read keeps these functions alive, and must not keep the request alive with them. */
  #completions(held: BodyAccount): { done(answer: KernelResponse): KernelResponse; failed(thrown: unknown): KernelResponse } {
    const done = (answer: KernelResponse): KernelResponse => {
      held.release()
      return answer
    }
    const failed = (thrown: unknown) => done(this.#parts.gate.state === 'closed' ? closedResponse() : errorResponse(thrown))
    return { done, failed }
  }

  #answer(request: KernelRequest, held: BodyAccount, traced: TracedRequest | undefined): MaybePromise<KernelResponse> {
    const received = readRequestMembers(request)
    const found = this.#route(received)
    if ('status' in found) return found
    if (traced) noteOperation(traced, this.#engine, found.operation as unknown as AnyOperation)
    this.#parts.gate.check()
    const asked = { ...found, received, held, signal: () => request.signal }
    return whenAvailable(this.#parts.ready(), () => whenAvailable(this.#body(asked), (body) => this.#run(asked, body)))
  }

  /** Returns the operation for the request, or the response if no operation matches. */
  #route({ method, path }: RequestMembers): Pick<RoutedRequest, 'operation' | 'captures'> | KernelResponse {
    if (typeof path !== 'string') throw invalid('path: must be a string')
    const { text, trailingSlash } = parsePath(path)
    const segments = text.split('/')
    const verb = method === 'HEAD' ? 'GET' : method
    if ((VERBS as readonly unknown[]).includes(verb) && !trailingSlash) {
      const { operation, captures } = this.#routes.match(verb as string, segments)
      if (operation) return { operation: operation as AnyOperation as unknown as AnyConfigOperation, captures }
    }
    if (this.#isIncomplete(verb, segments)) throw noSuchPath()
    const verbs = this.#routes.verbsAt(segments)
    if (verbs.length > 0 && !trailingSlash) return wrongVerb(method, verbs)
    if (trailingSlash && this.#routes.verbsAt([...segments, '-']).length > 0)
      throw invalid('path: a name or ID is missing at the end')
    throw noSuchPath()
  }

  #isIncomplete(verb: unknown, segments: readonly string[]): boolean {
    if (verb !== 'DELETE') return false
    const { operation } = this.#routes.match(verb, [...segments, '-'])
    return (operation as unknown as AnyConfigOperation | undefined)?.requiresLastSegment === true
  }

  #body({ received, operation, held }: RoutedRequest): MaybePromise<unknown> {
    const { clock } = this.#parts
    const { body } = received
    if (operation.verb === 'GET' || operation.verb === 'DELETE' || body === undefined || body === null) return undefined
    const take = (value: unknown): unknown => value
    const most = maxBodyBytesOf(operation)
    if (!isUnparsed(body)) return copyBody(body, take, { clock, held, most })
    const bytes = bodyBytes(body, most)
    return bytes.length === 0 ? undefined : parseBody(bytes, take, { clock, held })
  }

  #run(
    { received: { query, headers }, operation, captures, held, signal }: RoutedRequest,
    body: unknown,
  ): MaybePromise<KernelResponse> {
    const { settings, reads, clock } = this.#parts
    const { headerPrefix: prefix } = settings
    const input = readConfigInput(operation, captures, query, body)
    const mode = readConsistency(query)
    const wait = operation.table && readWait(query)
    const secret = tokenIn(query) ?? readToken(headers, `${prefix}-Token`) ?? ''
    const call = callBy(
      { kind: 'token', secret },
      { ns: readHeader(headers, `${prefix}-Namespace`), partition: readHeader(headers, `${prefix}-Partition`) },
    )
    const pretty = 'pretty' in query
    // The function below must not refer to the request or its parameters, because a waiting read keeps alive everything that it refers to.
    return whenAvailable(reads.read({ operation, input, call, wait, signal: wait && signal() }), (found) => {
      if (found.value === undefined)
        return textResponse(404, notFoundMessageOf(operation, input), indexHeader(prefix, found.index))
      // Callers without a token must not learn that results were left out.
      const filtered = found.filtered && secret !== ''
      const style = { prefix, defaultPolicy: settings.defaultPolicy }
      if (secret !== '') held.setAuthorized()
      return toResponse({ ...found, value: found.wire, filtered, mode }, pretty, style, { clock, held })
    })
  }
}

const noSuchPath = (): KernelError => new KernelError('ERR_UNSUPPORTED_PATH', 'there is nothing at this path')

const tokenIn = (query: Values): string | undefined => ([query['token']].flat()[0] as string | undefined) || undefined

const indexHeader = (prefix: string, index: number | undefined): KernelResponse['headers'] =>
  index === undefined ? {} : { [`${prefix}-Index`]: String(index) }

function wrongVerb(method: unknown, verbs: readonly string[]): KernelResponse {
  const Allow = ['OPTIONS', ...verbs].join(',')
  if (method === 'OPTIONS') return { status: 200, headers: { Allow } }
  return textResponse(405, `this path supports ${verbs.join(', ')}, not the verb of the request`, { Allow })
}
