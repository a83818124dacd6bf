/**
 * The few paths that answer in every state and to everybody: before there is a store, while it is sealed, with a wrong token.
 * Room: core/request. Imported by the path view and the lifecycle.
 */
import type { Entropy } from '../entropy.ts'
import { invalid } from '../errors.ts'
import { isRootNamed } from '../namespace/namespace-table.ts'
import type { AnySingle, Operations } from '../operation/operation.ts'
import type { Values } from '../operation/parse.ts'
import type { Call } from './call.ts'
import type { Sent } from './decode.ts'
import { envelope } from './envelope.ts'
import type { Executor } from './execute.ts'
import { HELP } from './help.ts'
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
    this.#routes = new RouteTable(Object.fromEntries(Object.entries(operations).filter(([, { always }]) => always)))
    this.#executor = executor
    this.#call = call
    this.#entropy = entropy
  }

  /** Whether a request is answered here. */
  serves({ verb, path }: Sent, open: boolean): boolean {
    if (!path.startsWith(PREFIX)) return false
    const { operation } = this.#routes.match(verb, path.slice(PREFIX.length).split('/'))
    return operation !== undefined && !(operation.always === 'unless open' && open)
  }

  /**
   * Undefined for every other path.
   * @param open Whether the kernel is: paths that take a token then are no business of this view.
   * @throws KernelError 405 for a verb such a path lacks, 400 in a namespace.
   */
  answer(
    { verb, path }: Sent,
    data: Values,
    namespace: string | undefined,
    open: boolean,
  ): KernelResponse | Promise<KernelResponse> | undefined {
    if (!path.startsWith(PREFIX) || verb === HELP) return undefined
    const segments = path.slice(PREFIX.length).split('/')
    // None of these paths lists anything, so a LIST is as wrong there as any other verb.
    const { operation, refusal, captures } = this.#routes.match(verb === 'LIST' ? 'UNLIST' : verb, segments)
    if (!operation) {
      if (refusal?.code === 'ERR_UNSUPPORTED_OPERATION') throw refusal
      return undefined
    }
    if (operation.always === 'unless open' && open) return undefined
    if (operation.rootOnly && !isRootNamed(namespace ?? '')) throw invalid('operation unavailable in namespaces')
    const single = operation as AnySingle
    const { fields } = readInput(single, captures, data)
    const outcome = this.#executor.single(single, fields, this.#call)
    const show = ({ value }: { readonly value: Values | undefined }) =>
      envelope(value ? (single.wire?.(value) ?? {}) : {}, { warnings: [] }, this.#call.mount.type, this.#entropy)
    return outcome instanceof Promise ? outcome.then(show) : show(outcome)
  }
}
