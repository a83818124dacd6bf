/**
 * The few paths that answer in every state and to everybody: before there is a store, while it is sealed, with a wrong token.
 * Room: core/request. Imported by the path view and the lifecycle.
 */
import type { Entropy } from '../entropy.ts'
import { invalid } from '../errors.ts'
import type { AnySingle, Operations } from '../operation/operation.ts'
import type { Values } from '../operation/parse.ts'
import type { Call } from './call.ts'
import type { Sent } from './decode.ts'
import { envelope } from './envelope.ts'
import type { Executor } from './execute.ts'
import { readInput } from './path-input.ts'
import type { KernelResponse } from './request.ts'
import { RouteTable } from './routes.ts'

const PREFIX = '/v1/sys/'

export class AlwaysView {
  readonly #routes: RouteTable
  readonly #executor: Executor
  readonly #call: Call
  readonly #entropy: Entropy

  /** @param operations Those of the system, of which the ones marked `always` count. */
  constructor(operations: Operations, executor: Executor, call: Call, entropy: Entropy) {
    this.#routes = new RouteTable(Object.values(operations).filter(({ always }) => always))
    this.#executor = executor
    this.#call = call
    this.#entropy = entropy
  }

  /** Undefined for every other path. @throws KernelError 405 for a verb such a path lacks, 400 in a namespace. */
  answer({ verb, path, query }: Sent, namespace: string | undefined): KernelResponse | undefined {
    if (!path.startsWith(PREFIX)) return undefined
    const { operation, refusal, captures, unauthenticated } = this.#routes.match(verb, path.slice(PREFIX.length).split('/'))
    if (!unauthenticated) return undefined
    if (!operation) throw refusal
    if (operation.rootOnly && !/^\/*(?:root)?\/*$/.test(namespace ?? '')) throw invalid('operation unavailable in namespaces')
    const single = operation as AnySingle
    const { fields } = readInput(single, captures, query)
    const value = this.#executor.look((tx) => single.run(tx, fields) as Values, this.#call) as Values
    return envelope(single.wire?.(value) ?? {}, { warnings: [] }, this.#call.mount.type, this.#entropy)
  }
}
