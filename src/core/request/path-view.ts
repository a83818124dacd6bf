/**
 * The path-addressed view: `handle(request)`. It never throws and never touches a socket.
 * The order of checks is the originals' (source: behaviour of the originals). Room: core/request. Imported by the composition root.
 */
import { ANONYMOUS, type Caller } from '../auth/caller.ts'
import type { Clock } from '../clock.ts'
import type { Entropy } from '../entropy.ts'
import { invalid, KernelError } from '../errors.ts'
import type { Topology } from '../mount/topology.ts'
import type { AnyOperation } from '../operation/operation.ts'
import type { Values } from '../operation/parse.ts'
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
  readonly #header: Readonly<Record<'namespace' | 'wrapTtl' | 'token' | 'marker', string>>

  constructor(parts: PathViewParts) {
    const { headerPrefix } = parts
    this.#parts = parts
    this.#runner = new PathRunner(parts.clock, parts.entropy)
    this.#header = {
      namespace: `${headerPrefix}-Namespace`,
      wrapTtl: `${headerPrefix}-Wrap-TTL`,
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
    const answer = always.answer(sent, namespace)
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
    if (unauthenticated && !(operation?.readsToken && token)) return this.#run(asked, target, openTo(ANONYMOUS))
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
    return perform().finally(after)
  }

  #perform({ data, wrapTtl }: Asked, target: Target, admitted: Admitted): KernelResponse | Promise<KernelResponse> {
    const { mount, route } = target
    if (!route.operation || !mount) throw route.refusal
    if (wrapTtl > 0) throw invalid(`${this.#header.wrapTtl}: this release does not wrap answers`)
    const { operation, captures } = route
    return this.#runner.run({ mount, operation, captures, data, call: callOf(target, mount, admitted) })
  }

  /** What every answer carries. */
  #finish(answer: KernelResponse, sent: Sent | undefined): KernelResponse {
    const namespace = sent && readHeader(sent.headers, this.#header.namespace)
    const headers = this.#parts.index.stamp(answer.headers)
    return { ...answer, headers: namespace ? { ...headers, [this.#header.namespace]: namespace } : headers }
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
  parameters: data,
  wrapTtl,
  remoteAddress: sent.remoteAddress,
})
