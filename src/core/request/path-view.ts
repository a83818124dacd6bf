/**
 * The path-addressed view: `handle(request)`. It never throws and never touches a socket.
 * The order of checks is the originals' (source: behaviour of the originals). Room: core/request. Imported by the composition root.
 */
import type { Caller } from '../auth/caller.ts'
import type { Clock } from '../clock.ts'
import type { Entropy } from '../entropy.ts'
import { invalid, KernelError } from '../errors.ts'
import type { Topology } from '../mount/topology.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { coerceAll, type Values } from '../operation/parse.ts'
import { type Admission, type Admitted, type Ask, callOf } from './admission.ts'
import type { AlwaysView } from './always.ts'
import { readData, readRequest, type Sent } from './decode.ts'
import { failureOf } from './envelope.ts'
import { homeOf } from './follow.ts'
import type { Gate } from './gate.ts'
import { checkMarker, readHeader, readToken, readWrapTtl } from './headers.ts'
import { PathRunner } from './path-run.ts'
import type { KernelRequest, KernelResponse } from './request.ts'
import type { StateIndex } from './state-index.ts'
import type { Target, Targets } from './targets.ts'
import type { Wrapper } from './wrapper.ts'

export interface PathViewParts {
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly headerPrefix: string
  readonly requireMarker: boolean
  readonly topology: Topology
  readonly targets: Targets
  readonly admission: Admission
  readonly always: AlwaysView
  readonly index: StateIndex
  readonly wrapper: Wrapper
}

/** A request that has been read but not judged. */
interface Asked {
  readonly sent: Sent
  readonly data: Values
  readonly namespace: string | undefined
  readonly wrapTtl: number
}

export class PathView {
  readonly #parts: PathViewParts
  readonly #runner: PathRunner
  readonly #header: Readonly<Record<'namespace' | 'wrapTtl' | 'wrapFormat' | 'token' | 'marker', string>>

  constructor(parts: PathViewParts) {
    const { headerPrefix } = parts
    this.#parts = parts
    this.#runner = new PathRunner(parts.clock, parts.entropy)
    this.#header = {
      namespace: `${headerPrefix}-Namespace`,
      wrapTtl: `${headerPrefix}-Wrap-TTL`,
      wrapFormat: `${headerPrefix}-Wrap-Format`,
      token: `${headerPrefix}-Token`,
      marker: `${headerPrefix}-Request`,
    }
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    let sent: Sent | undefined
    const finish = (answer: KernelResponse): KernelResponse => this.#finish(answer, sent)
    try {
      sent = readRequest(request)
      const answer = this.#answer(sent)
      if (!(answer instanceof Promise)) return Promise.resolve(finish(answer))
      return this.#parts.gate.track(answer.catch(failureOf).then(finish))
    } catch (thrown) {
      return Promise.resolve(finish(failureOf(thrown)))
    }
  }

  #answer(sent: Sent): KernelResponse | Promise<KernelResponse> {
    if (this.#parts.requireMarker) checkMarker(sent.headers, this.#header.marker)
    const data = readData(sent, this.#parts.clock)
    return data instanceof Promise ? data.then((read) => this.#read(sent, read)) : this.#read(sent, data)
  }

  #read(sent: Sent, data: Values): KernelResponse | Promise<KernelResponse> {
    const { gate, topology, always, index } = this.#parts
    const namespace = readHeader(sent.headers, this.#header.namespace)
    const wrapTtl = readWrapTtl(sent.headers, this.#header.wrapTtl)
    if (gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    const answer = always.answer(sent, data, namespace, gate.state === 'open')
    if (answer) return answer
    gate.check()
    const asked = { sent, data, namespace, wrapTtl }
    const ready = index.reached(sent.headers) ?? topology.fresh()
    return ready ? ready.then(() => topology.fresh()).then(() => this.#route(asked)) : this.#route(asked)
  }

  #route(asked: Asked): KernelResponse | Promise<KernelResponse> {
    const { sent, namespace } = asked
    const { verb } = sent
    const target = this.#parts.targets.find(verb, sent.path, namespace)
    const { operation, unauthenticated } = target.route
    if (operation?.rootOnly && target.namespace.path !== '') throw invalid('operation unavailable in namespaces')
    if (target.trailingSlash && (verb === 'POST' || verb === 'PATCH')) throw invalid("cannot write to a path ending in '/'")
    const token = readToken(sent.headers, this.#header.token)
    if (unauthenticated && !(operation?.readsToken && token))
      return this.#run(asked, target, openTo({ kind: 'anonymous', text: token }))
    const judged = operation?.judgesFirst && this.#judgeFirst(operation, asked, target, token)
    if (judged) return judged.then(() => this.#identify(asked, target, token))
    return this.#identify(asked, target, token)
  }

  /** Resolves where it took a look into the store. */
  #judgeFirst(
    { fields, judgesFirst }: AnyOperation,
    { data }: Asked,
    { mount, namespace, path }: Target,
    token: string | undefined,
  ): Promise<void> | undefined {
    if (!mount) return undefined
    const input = coerceAll(fields, data) as Readonly<Record<string, string>>
    const call = callOf({ namespace, path }, mount, openTo({ kind: 'anonymous', text: token }))
    return mount.executor.look((tx) => judgesFirst?.(tx, input), call) ?? undefined
  }

  #identify(asked: Asked, target: Target, token: string | undefined): KernelResponse | Promise<KernelResponse> {
    const { sent } = asked
    const { operation, unauthenticated } = target.route
    const caller = this.#parts.admission.authenticate(token, sent.remoteAddress)
    const go = (found: Awaited<typeof caller>) => {
      if (unauthenticated) return this.#run(asked, target, openTo(found))
      const followed = this.#follow(operation, asked, target, found)
      const admitted = this.#parts.admission.admit(askOf(asked, followed), found)
      return admitted instanceof Promise
        ? admitted.then((answer) => this.#run(asked, followed, answer))
        : this.#run(asked, followed, admitted)
    }
    return caller instanceof Promise ? caller.then(go) : go(caller)
  }

  /** Operations on tokens go to the namespace of the token they are about, wherever they were asked. */
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
    // A request that sealed the kernel leaves the token to tick.
    return perform().finally(() => (this.#parts.gate.state === 'open' ? after() : undefined))
  }

  #perform({ sent, data, wrapTtl }: Asked, target: Target, admitted: Admitted): KernelResponse | Promise<KernelResponse> {
    const { mount, route } = target
    if (!route.operation || !mount) throw route.refusal
    const { operation, captures } = route
    const plain = callOf(target, mount, admitted)
    if (wrapTtl === 0) return this.#runner.run({ mount, operation, captures, data, call: plain })
    const format = readHeader(sent.headers, this.#header.wrapFormat) === 'jwt' ? 'jwt' : 'token'
    const call = { ...plain, wrap: { ttl: wrapTtl, format } as const }
    const answer = async () => this.#runner.run({ mount, operation, captures, data, call })
    return answer().then((made) => this.#parts.wrapper.wrap(made, call, sent.verb === 'LIST'))
  }

  /** What every answer carries. */
  #finish(answer: KernelResponse, sent: Sent | undefined): KernelResponse {
    const namespace = sent && readHeader(sent.headers, this.#header.namespace)
    const stamped = this.#parts.index.stamp(answer.headers)
    const headers = namespace ? { ...stamped, [this.#header.namespace]: namespace } : stamped
    const { status, body } = answer
    return body === undefined ? { status, headers } : { status, headers, body }
  }
}

const openTo = (caller: Caller): Admitted => ({ caller, sudo: false, recheck: undefined, after: undefined })

const askOf = ({ sent, data, wrapTtl }: Asked, { namespace, path, trailingSlash, mount, route }: Target): Ask => ({
  verb: sent.verb,
  namespace,
  path,
  trailingSlash,
  mount,
  operation: route.operation,
  captures: route.captures,
  parameters: () => data,
  wrapTtl,
  remoteAddress: sent.remoteAddress,
})
