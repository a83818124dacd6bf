/**
 * The path-addressed view: `handle(request)`. It never throws and never touches a socket. The order of checks is the originals' (source:
 * behaviour of the originals).
 */
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { type Eventually, outcomeOf, whenThere } from '../base/eventually.ts'
import type { Caller } from '../contract/caller.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { Gate } from '../exchange/gate.ts'
import { readHeader, readToken } from '../exchange/headers.ts'
import type { HeldBodies, HeldBody } from '../exchange/held-bodies.ts'
import { noteStatus, tracedOf } from '../exchange/traced-request.ts'
import { coerceAll, type Values } from '../field/parse.ts'
import { byOwnNames } from '../field/wire-names.ts'
import type { Topology } from '../mount/topology.ts'
import { HELP } from '../transaction/help.ts'
import { type Admission, type Admitted, callOf, openTo } from './admission.ts'
import type { AlwaysView } from './always.ts'
import { type Asked, askOf } from './asked.ts'
import { isLarge, readData, readRequest, type Sent, tooLargeWithoutToken } from './decode.ts'
import { failureOf } from './envelope.ts'
import { homeOf } from './follow.ts'
import { checkMarker, readWrapTtl } from './own-headers.ts'
import { PathRunner } from './path-run.ts'
import { recorded } from './recorded.ts'
import { checkRootOnly } from './root-only.ts'
import type { StateIndex } from './state-index.ts'
import type { Target, Targets } from './targets.ts'
import type { Wrapper } from './wrapper.ts'

export interface PathViewParts {
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly headerPrefix: string
  readonly originalNames: boolean
  readonly requireMarker: boolean
  readonly topology: Topology
  readonly targets: Targets
  readonly admission: Admission
  readonly always: AlwaysView
  readonly index: StateIndex
  readonly wrapper: Wrapper
  readonly bodies: HeldBodies
  readonly audit: Audit
  readonly tracer: Tracer
}

export class PathView {
  readonly #parts: PathViewParts
  readonly #runner: PathRunner
  readonly #header: Readonly<Record<'namespace' | 'wrapTtl' | 'wrapFormat' | 'token' | 'marker', string>>

  constructor(parts: PathViewParts) {
    const { headerPrefix } = parts
    this.#parts = parts
    this.#runner = new PathRunner(parts.clock, parts.entropy, parts.originalNames)
    this.#header = {
      namespace: `${headerPrefix}-Namespace`,
      wrapTtl: `${headerPrefix}-Wrap-TTL`,
      wrapFormat: `${headerPrefix}-Wrap-Format`,
      token: `${headerPrefix}-Token`,
      marker: `${headerPrefix}-Request`,
    }
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    const { tracer } = this.#parts
    if (!tracer.listening) return this.#handle(request)
    return tracer.request(tracedOf(request), () => this.#handle(request), noteStatus)
  }

  #handle(request: KernelRequest): Promise<KernelResponse> {
    let sent: Sent | undefined
    const held = this.#parts.bodies.open()
    const finish = (answer: KernelResponse): KernelResponse => {
      held.release()
      return this.#finish(answer, sent)
    }
    try {
      sent = readRequest(request, this.#checkVerb)
      const answer = this.#answer(sent, held)
      if (!(answer instanceof Promise)) return Promise.resolve(finish(answer))
      return this.#parts.gate.track(answer.catch(failureOf).then(finish))
    } catch (thrown) {
      return Promise.resolve(finish(failureOf(thrown)))
    }
  }

  readonly #checkVerb = (sent: Sent): void => {
    const { always, gate } = this.#parts
    always.checkVerb(sent, () => readHeader(sent.headers, this.#header.namespace), gate.state === 'open')
  }

  /**
   * The answer that a request gets whatever its body contains, so that the front need not wait for the body; undefined where the answer
   * depends on it. Only for bodies of more than 1 MiB: shorter ones are read first.
   */
  async refusal(request: KernelRequest): Promise<KernelResponse | undefined> {
    let sent: Sent | undefined
    try {
      sent = readRequest(request, this.#checkVerb)
      if (this.#parts.requireMarker) checkMarker(sent.headers, this.#header.marker)
      await this.#parts.gate.track(Promise.resolve(this.#judge(sent, this.#parts.bodies.open())))
      return undefined
    } catch (thrown) {
      return this.#finish(failureOf(thrown), sent)
    }
  }

  #answer(sent: Sent, held: HeldBody): KernelResponse | Promise<KernelResponse> {
    if (this.#parts.requireMarker) checkMarker(sent.headers, this.#header.marker)
    return isLarge(sent) ? whenThere(this.#judge(sent, held), () => this.#parse(sent, held)) : this.#parse(sent, held)
  }

  #parse(sent: Sent, held: HeldBody): KernelResponse | Promise<KernelResponse> {
    const data = readData(sent, this.#parts.clock, held)
    return data instanceof Promise ? data.then((read) => this.#read(sent, read, held)) : this.#read(sent, data, held)
  }

  #read(sent: Sent, data: Values, held: HeldBody): Eventually<KernelResponse> {
    const { gate, always, audit, entropy } = this.#parts
    const asked = this.#ask(sent, data, held)
    const answer = always.answer(sent, data, asked.namespace, gate.state === 'open')
    if (answer) return answer
    gate.check()
    return this.#whenFresh(sent, () =>
      audit.trail ? recorded(asked, audit.trail, entropy, (noted) => this.#route(noted)) : this.#route(asked),
    )
  }

  #ask(sent: Sent, data: Values, held: HeldBody): Asked {
    const namespace = readHeader(sent.headers, this.#header.namespace)
    const wrapTtl = readWrapTtl(sent.headers, this.#header.wrapTtl)
    if (this.#parts.gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    return { sent, data, held, namespace, wrapTtl, token: readToken(sent.headers, this.#header.token), record: undefined }
  }

  #whenFresh<T>({ headers }: Sent, begin: () => Eventually<T>): Eventually<T> {
    const { topology, index, audit } = this.#parts
    const ready = index.reached(headers) ?? topology.fresh() ?? audit.fresh()
    if (!ready) return begin()
    return ready
      .then(() => topology.fresh())
      .then(() => audit.fresh())
      .then(begin)
  }

  /**
   * Judges everything of a request except its body, including whether its token is valid. Its refusals are recorded like any
   * other.
   */
  #judge(sent: Sent, held: HeldBody): Eventually<void> {
    const { gate, always, admission } = this.#parts
    const asked = this.#ask(sent, {}, held)
    if (always.serves(sent, asked.namespace, gate.state === 'open')) throw tooLargeWithoutToken()
    gate.check()
    const meet = () => {
      if (this.#lead(asked).route.unauthenticated) throw tooLargeWithoutToken()
      return admission.authenticate(asked.token, sent.remoteAddress)
    }
    return this.#whenFresh(sent, () =>
      outcomeOf(
        meet,
        () => held.judged(),
        (refusal) => this.#refuse(asked, refusal),
      ),
    )
  }

  #refuse(asked: Asked, refusal: unknown): Eventually<never> {
    const { audit, entropy } = this.#parts
    if (!audit.trail) throw refusal
    return recorded(asked, audit.trail, entropy, (noted) => {
      this.#lead(noted)
      throw refusal
    }) as Eventually<never>
  }

  #lead({ sent, namespace, record }: Asked): Target {
    const target = this.#parts.targets.find(sent.verb, sent.path, namespace)
    record?.leadsTo(target)
    return target
  }

  #route(read: Asked): KernelResponse | Promise<KernelResponse> {
    const { sent, token, record } = read
    const { verb } = sent
    const target = this.#lead(read)
    const { operation, unauthenticated } = target.route
    const data = operation ? byOwnNames(operation.fields, read.data) : read.data
    const asked = data === read.data ? read : { ...read, data }
    checkRootOnly(operation, target.namespace)
    if (target.trailingSlash && (verb === 'POST' || verb === 'PATCH')) throw invalid("cannot write to a path ending in '/'")
    if (unauthenticated && !(operation?.readsToken && token))
      return this.#run(asked, target, openTo({ kind: 'anonymous', text: token }))
    if (!operation?.judgesFirst) return this.#identify(asked, target)
    if (record) record.onlyRequest = true
    return whenThere(this.#judgeFirst(operation, asked, target), () => this.#identify(asked, target))
  }

  #judgeFirst(
    { fields, judgesFirst }: AnyOperation,
    { sent: { remoteAddress }, data, token }: Asked,
    { mount, namespace, path }: Target,
  ): void | Promise<void> {
    if (!mount) return
    const input = coerceAll(fields, data) as Readonly<Record<string, string>>
    const call = callOf({ namespace, path, remoteAddress }, mount, openTo({ kind: 'anonymous', text: token }))
    return mount.executor.look((tx) => judgesFirst?.(tx, input), call)
  }

  #identify(asked: Asked, target: Target): KernelResponse | Promise<KernelResponse> {
    const { sent, token, record, held } = asked
    const { operation, unauthenticated } = target.route
    if (record) record.onlyRequest = false
    const caller = this.#parts.admission.authenticate(token, sent.remoteAddress)
    const go = (found: Awaited<typeof caller>) => {
      if (record) record.caller = found
      held.judged()
      if (unauthenticated) return this.#run(asked, target, openTo(found))
      const followed = this.#follow(operation, asked, target, found)
      const admitted = this.#parts.admission.admit(askOf(asked, followed), found)
      return admitted instanceof Promise
        ? admitted.then((answer) => this.#run(asked, followed, answer))
        : this.#run(asked, followed, admitted)
    }
    return caller instanceof Promise ? caller.then(go) : go(caller)
  }

  /** Operations on tokens run in the namespace of their token, wherever they were called. */
  #follow(operation: AnyOperation | undefined, { sent, data }: Asked, target: Target, caller: Caller): Target {
    const { topology, targets } = this.#parts
    if (!operation?.follows) return target
    const home = homeOf(operation, data, target.route.captures, caller, topology.namespaces) ?? target.namespace
    return home === target.namespace ? target : targets.in(home, sent.verb, target)
  }

  #run(asked: Asked, target: Target, admitted: Admitted): KernelResponse | Promise<KernelResponse> {
    const { after } = admitted
    if (!after) return this.#perform(asked, target, admitted)
    const perform = async () => this.#perform(asked, target, admitted)
    // A request that sealed the kernel leaves revoking its token to tick.
    return perform().finally(() => (this.#parts.gate.state === 'open' ? after() : undefined))
  }

  #perform(asked: Asked, target: Target, admitted: Admitted): KernelResponse | Promise<KernelResponse> {
    const { record } = asked
    if (!record) return this.#do(asked, target, admitted)
    record.leadsTo(target)
    return whenThere(record.ask(), () => this.#do(asked, target, admitted))
  }

  #do(asked: Asked, target: Target, admitted: Admitted): KernelResponse | Promise<KernelResponse> {
    const { sent, data, wrapTtl, record } = asked
    const { mount, route } = target
    const id = record?.request.id
    if (!route.operation || !mount) throw route.refusal
    const { operation, captures } = route
    const plain = callOf({ ...target, remoteAddress: sent.remoteAddress }, mount, admitted, askOf(asked, target))
    if (wrapTtl === 0) return this.#runner.run({ mount, operation, captures, data, call: plain, id })
    const format = readHeader(sent.headers, this.#header.wrapFormat) === 'jwt' ? 'jwt' : 'token'
    const call = { ...plain, wrap: { ttl: wrapTtl, format } as const }
    this.#parts.wrapper.check(call)
    const answer = async () => this.#runner.run({ mount, operation, captures, data, call, id })
    // Help is the same for every caller.
    const asking = { list: sent.verb === 'LIST', judged: !route.unauthenticated && sent.verb !== HELP }
    return answer().then((made) => this.#parts.wrapper.wrap(made, call, asking))
  }

  /** Adds the headers that every answer carries. */
  #finish(answer: KernelResponse, sent: Sent | undefined): KernelResponse {
    const namespace = sent && readHeader(sent.headers, this.#header.namespace)
    const stamped = this.#parts.index.stamp(answer.headers)
    const headers = namespace ? { ...stamped, [this.#header.namespace]: namespace } : stamped
    const { status, body } = answer
    return body === undefined ? { status, headers } : { status, headers, body }
  }
}
