/**
 * Answers operations that any caller may use in any state: before initialization, while the kernel is sealed, and with an invalid token.
 */
import type { Entropy } from '../base/entropy.ts'
import { invalid } from '../base/errors.ts'
import { type MaybePromise, whenAvailable } from '../base/maybe-promise.ts'
import type { Engine } from '../contract/engine.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'
import type { AnyOperation, AnySingle, Operations } from '../contract/operation.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'
import type { Gate } from '../exchange/gate.ts'
import { noteOperation } from '../exchange/traced-request.ts'
import type { Values } from '../field/parse.ts'
import { isRootNamed, type NamespaceTable } from '../mount/namespace-table.ts'
import type { Executor } from '../transaction/executor.ts'
import { HELP } from '../transaction/help-verb.ts'
import { RouteTable } from '../transaction/route-table.ts'
import { envelope } from './envelope.ts'
import { readInput } from './path-input.ts'
import type { DecodedRequest, ReceivedRequest } from './path-request.ts'

const API = '/v1/'

/** Precedes the paths of the operations of `sys/` in a request path. */
export const SYSTEM_PATH = '/sys/'

/** A path below `sys/`, split into segments. */
interface SystemPath {
  readonly segments: readonly string[]
  /** The namespace at the beginning of the path. Empty if the path does not begin with a namespace. */
  readonly within: string
}

export class AnyStateRoutes {
  readonly #gate: Pick<Gate, 'state'>
  readonly #system: Pick<Engine, 'type' | 'operations'>
  readonly #namespaces: () => NamespaceTable | undefined
  readonly #executor: Executor
  readonly #call: Call
  readonly #entropy: Entropy

  /**
   * @param system The engine that serves `sys/`. Only its operations that are marked `inAnyState` are answered here.
   * @param namespaces Returns the existing namespaces; undefined if the kernel serves only the root namespace. Called only while the kernel
   * is open.
   */
  constructor(
    gate: Pick<Gate, 'state'>,
    system: Pick<Engine, 'type' | 'operations'>,
    executor: Executor,
    call: Call,
    entropy: Entropy,
    namespaces: () => NamespaceTable | undefined,
  ) {
    this.#gate = gate
    this.#system = system
    this.#namespaces = namespaces
    this.#executor = executor
    this.#call = call
    this.#entropy = entropy
  }

  get #isOpen(): boolean {
    return this.#gate.state === 'open'
  }

  /** The routes of the operations whose code is loaded. */
  get #tables(): AnyStateTables {
    return tablesOf(this.#system.operations)
  }

  /** Whether {@link answer} answers the request. */
  serves({ verb, sentPath, namespaceHeader }: DecodedRequest): boolean {
    const below = this.#systemPath(sentPath, namespaceHeader)
    if (!below) return false
    // A help request has no body, so answer for the path, whatever the verb.
    const { routes } = this.#tables
    if (verb === HELP) return routes.verbsAt(below.segments).length > 0
    const { operation } = routes.match(verb, below.segments)
    return operation !== undefined && !(operation.inAnyState === 'unless open' && this.#isOpen)
  }

  /**
   * Checks whether the path supports the verb, before any other check.
   * @throws KernelError 405 if the path belongs to an operation that is answered here, but does not support the verb. While the kernel is
   * open, also if the path belongs to an operation that requires key shares instead of a token, but does not support the verb.
   */
  checkVerb(verb: string, path: string, namespaceHeader: string | undefined): void {
    const below = path.includes(SYSTEM_PATH) ? this.#systemPath(path, namespaceHeader) : undefined
    if (!below) return
    const { routes, verbsFirst } = this.#tables
    const { refusal } = (this.#isOpen ? verbsFirst : routes).match(verb === 'LIST' ? 'UNLIST' : verb, below.segments)
    if (refusal?.code === 'ERR_UNSUPPORTED_OPERATION') throw refusal
  }

  /**
   * Splits the path if it is below `sys/`. While the kernel is open, the path may begin with a namespace. In other states it must not,
   * because the namespaces are not known.
   */
  #systemPath(path: string, header: string | undefined): SystemPath | undefined {
    const at = path.indexOf(SYSTEM_PATH)
    if (at < 0 || !path.startsWith(API)) return undefined
    const within = path.slice(API.length, at + 1)
    if (within !== '' && !(this.#isOpen && this.#isNamespace(within, header))) return undefined
    return { segments: path.slice(at + SYSTEM_PATH.length).split('/'), within }
  }

  #isNamespace(path: string, header: string | undefined): boolean {
    const namespaces = this.#namespaces()
    if (!namespaces) return false
    const from = header ? namespaces.find(header) : ROOT_NAMESPACE
    return from !== undefined && namespaces.byPath(from.path + path) !== undefined
  }

  /**
   * Answers the request. Returns undefined if the path belongs to no operation that is answered here.
   * @throws KernelError 405 if the path does not support the verb, 400 if a root-only operation is called in another namespace.
   */
  answer({ verb, sentPath, sentData, namespaceHeader, traced }: ReceivedRequest): MaybePromise<KernelResponse> | undefined {
    const below = verb === HELP ? undefined : this.#systemPath(sentPath, namespaceHeader)
    if (!below) return undefined
    // None of the operations supports LIST, so treat LIST as an unknown verb.
    const { operation, refusal, captures } = this.#tables.routes.match(verb === 'LIST' ? 'UNLIST' : verb, below.segments)
    if (!operation) {
      if (refusal?.code === 'ERR_UNSUPPORTED_OPERATION') throw refusal
      return undefined
    }
    if (operation.inAnyState === 'unless open' && this.#isOpen) return undefined
    if (traced) noteOperation(traced, this.#system, operation)
    const inner = below.within !== '' || !isRootNamed(namespaceHeader ?? '')
    if (operation.rootOnly && inner) throw invalid('operation unavailable in namespaces')
    const single = operation as AnySingle
    const { fields } = readInput(single, captures, sentData)
    const outcome = this.#executor.single(single, fields, this.#call)
    const show = ({ value }: { readonly value: Values | undefined }) =>
      envelope(value ? (single.wire?.(value) ?? {}) : {}, { warnings: [] }, this.#call.mount.type, this.#entropy)
    return whenAvailable(outcome, show)
  }
}

const isControl = (operation: AnyOperation): boolean => !operation.batch && operation.control !== undefined

interface AnyStateTables {
  readonly routes: RouteTable
  /**
   * The routes for which the verb is checked before anything else, as in Vault: `routes`, and the endpoints of operations that require key
   * shares instead of a token.
   */
  readonly verbsFirst: RouteTable
}

/**
 * Route tables, compiled once per set of operations. Most kernels of a process share a set, and compiling takes a tenth of the time of
 * opening a kernel.
 */
const tables = new WeakMap<Operations, AnyStateTables>()

function tablesOf(operations: Operations): AnyStateTables {
  const known = tables.get(operations)
  if (known) return known
  const made = {
    routes: tableOf(operations, (op) => op.inAnyState !== undefined),
    verbsFirst: tableOf(operations, (op) => op.inAnyState !== undefined || (op.unauthenticated === true && isControl(op))),
  }
  tables.set(operations, made)
  return made
}

const tableOf = (operations: Operations, wanted: (operation: AnyOperation) => boolean): RouteTable =>
  new RouteTable(Object.fromEntries(Object.entries(operations).filter(([, operation]) => wanted(operation))))
