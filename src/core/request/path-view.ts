/** Calls by path: `handle(request)`. The method never throws and uses no sockets. All checks are made in Vault's order. */
import type { AuditLog } from '../audit/audit-log.ts'
import { KernelError } from '../base/errors.ts'
import { type MaybePromise, settle, whenAvailable } from '../base/maybe-promise.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { BodyAccount, BodyBudget } from '../exchange/body-budget.ts'
import { readHeader, readToken } from '../exchange/headers.ts'
import { ownRequest } from '../exchange/own-arguments.ts'
import { noteStatus, tracedRequest } from '../exchange/traced-request.ts'
import type { Values } from '../field/parse.ts'
import { type AnyStateRoutes, SYSTEM_PATH } from './any-state-routes.ts'
import { type DecodedRequest, decodeRequest, isLarge, readData, tooLargeWithoutToken } from './decode.ts'
import { failureOf } from './envelope.ts'
import { checkMarker, readWrapTtl } from './own-headers.ts'
import { PathRoute, type PathRouteParts } from './path-route.ts'
import type { ReceivedRequest } from './received-request.ts'
import { runAudited } from './run-audited.ts'
import type { StateIndex } from './state-index.ts'

export interface PathViewParts extends PathRouteParts {
  readonly requireMarker: boolean
  readonly anyState: AnyStateRoutes
  readonly index: StateIndex
  readonly bodies: BodyBudget
  readonly audit: AuditLog
  readonly tracer: Tracer
}

export class PathView {
  readonly #parts: PathViewParts
  readonly #route: PathRoute
  readonly #header: Readonly<Record<'namespace' | 'wrapTtl' | 'token' | 'marker', string>>

  constructor(parts: PathViewParts) {
    const { headerPrefix } = parts
    this.#parts = parts
    this.#route = new PathRoute(parts)
    this.#header = {
      namespace: `${headerPrefix}-Namespace`,
      wrapTtl: `${headerPrefix}-Wrap-TTL`,
      token: `${headerPrefix}-Token`,
      marker: `${headerPrefix}-Request`,
    }
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    const { tracer } = this.#parts
    if (!tracer.listening) return this.#handle(request)
    return tracer.request(tracedRequest(request), () => this.#handle(request), noteStatus)
  }

  #handle(request: KernelRequest): Promise<KernelResponse> {
    const loading = this.#load(request)
    return loading ? this.#handleLater(request, loading) : this.#handleLoaded(request)
  }

  async #handleLater(request: KernelRequest, loading: Promise<void>): Promise<KernelResponse> {
    const own = ownRequest(request, this.#parts.clock)
    return loading.then(
      async () => this.#handle(await own),
      (thrown) => this.#finish(failureOf(thrown), undefined),
    )
  }

  /**
   * Loads the code of operations below `sys/` that the path may need, because some of them are answered before the path is resolved. Returns
   * undefined if the code is loaded.
   */
  #load(request: KernelRequest): Promise<void> | undefined {
    const { system } = this.#parts
    if (!system.load) return undefined
    try {
      const { path } = request
      const at = path.indexOf(SYSTEM_PATH)
      return at < 0 ? undefined : system.load(path.slice(at + SYSTEM_PATH.length))
    } catch {
      // Invalid requests are refused later.
      return undefined
    }
  }

  #handleLoaded(request: KernelRequest): Promise<KernelResponse> {
    let sent: DecodedRequest | undefined
    const held = this.#parts.bodies.open()
    const finish = (answer: KernelResponse): KernelResponse => {
      held.release()
      return this.#finish(answer, sent)
    }
    try {
      sent = decodeRequest(request, this.#checkVerb)
      const answer = this.#answer(sent, held)
      if (!(answer instanceof Promise)) return Promise.resolve(finish(answer))
      return this.#parts.gate.track(answer.catch(failureOf).then(finish))
    } catch (thrown) {
      return Promise.resolve(finish(failureOf(thrown)))
    }
  }

  readonly #checkVerb = (sent: DecodedRequest): void => {
    const { anyState, gate } = this.#parts
    anyState.checkVerb(sent, () => readHeader(sent.headers, this.#header.namespace), gate.state === 'open')
  }

  /**
   * Checks a request before its body is read. Returns the response if the request is refused whatever its body contains; an HTTP server
   * then need not read the body. Returns undefined if the response depends on the body. Use this method only for bodies of more than 1 MiB;
   * read a shorter body first and pass it to `handle`.
   */
  async precheck(request: KernelRequest): Promise<KernelResponse | undefined> {
    let sent: DecodedRequest | undefined
    try {
      await this.#load(request)
      sent = decodeRequest(request, this.#checkVerb)
      if (this.#parts.requireMarker) checkMarker(sent.headers, this.#header.marker)
      await this.#parts.gate.track(Promise.resolve(this.#precheck(sent, this.#parts.bodies.open())))
      return undefined
    } catch (thrown) {
      return this.#finish(failureOf(thrown), sent)
    }
  }

  #answer(sent: DecodedRequest, held: BodyAccount): KernelResponse | Promise<KernelResponse> {
    if (this.#parts.requireMarker) checkMarker(sent.headers, this.#header.marker)
    return isLarge(sent) ? whenAvailable(this.#precheck(sent, held), () => this.#parse(sent, held)) : this.#parse(sent, held)
  }

  #parse(sent: DecodedRequest, held: BodyAccount): KernelResponse | Promise<KernelResponse> {
    const data = readData(sent, this.#parts.clock, held)
    return data instanceof Promise ? data.then((read) => this.#read(sent, read, held)) : this.#read(sent, data, held)
  }

  #read(sent: DecodedRequest, data: Values, held: BodyAccount): MaybePromise<KernelResponse> {
    const { gate, anyState, audit, entropy } = this.#parts
    const asked = this.#ask(sent, data, held)
    const answer = anyState.answer(sent, data, asked.namespace, gate.state === 'open')
    if (answer) return answer
    // The path has not been resolved yet, so accept every request that some operation answers on a secondary. Other operations are refused
    // later.
    gate.check(true, true)
    return this.#whenReady(asked, () =>
      audit.trail ? runAudited(asked, audit, entropy, (noted) => this.#route.route(noted)) : this.#route.route(asked),
    )
  }

  #ask(sent: DecodedRequest, data: Values, held: BodyAccount): ReceivedRequest {
    const namespace = readHeader(sent.headers, this.#header.namespace)
    const wrapTtl = readWrapTtl(sent.headers, this.#header.wrapTtl)
    if (this.#parts.gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    return { sent, data, held, namespace, wrapTtl, token: readToken(sent.headers, this.#header.token), record: undefined }
  }

  #whenFresh<T>({ headers }: DecodedRequest, begin: () => MaybePromise<T>): MaybePromise<T> {
    const { topology, index, audit } = this.#parts
    const ready = index.reached(headers) ?? topology.fresh() ?? audit.fresh()
    if (!ready) return begin()
    return ready
      .then(() => topology.fresh())
      .then(() => audit.fresh())
      .then(begin)
  }

  /** Calls `begin` when the caches are up to date and the code that the request needs is loaded. */
  #whenReady<T>(asked: ReceivedRequest, begin: () => MaybePromise<T>): MaybePromise<T> {
    return this.#whenFresh(asked.sent, () => {
      const loading = this.#route.load(asked)
      return loading ? loading.then(() => this.#whenReady(asked, begin)) : begin()
    })
  }

  /** Checks everything except the body: the path, the token and the state of the kernel. Refused requests are audited like all others. */
  #precheck(sent: DecodedRequest, held: BodyAccount): MaybePromise<void> {
    const { gate, anyState, admission } = this.#parts
    const asked = this.#ask(sent, {}, held)
    if (anyState.serves(sent, asked.namespace, gate.state === 'open')) throw tooLargeWithoutToken()
    gate.check(true, true)
    const meet = () => {
      const { route } = this.#route.lead(asked)
      gate.check(route.operation?.onDrSecondary, route.operation?.whileJoining)
      if (route.unauthenticated) throw tooLargeWithoutToken()
      return admission.authenticate(asked.token, sent.remoteAddress)
    }
    return this.#whenReady(asked, () =>
      settle(
        meet,
        () => held.setAuthorized(),
        (refusal) => this.#refuse(asked, refusal),
      ),
    )
  }

  #refuse(asked: ReceivedRequest, refusal: unknown): MaybePromise<never> {
    const { audit, entropy } = this.#parts
    if (!audit.trail) throw refusal
    return runAudited(asked, audit, entropy, (noted) => {
      this.#route.lead(noted)
      throw refusal
    }) as MaybePromise<never>
  }

  /** Adds the headers that every response has. */
  #finish(answer: KernelResponse, sent: DecodedRequest | undefined): KernelResponse {
    const namespace = sent && readHeader(sent.headers, this.#header.namespace)
    const stamped = this.#parts.index.stamp(answer.headers)
    const headers = namespace ? { ...stamped, [this.#header.namespace]: namespace } : stamped
    const { status, body } = answer
    return body === undefined ? { status, headers } : { status, headers, body }
  }
}
