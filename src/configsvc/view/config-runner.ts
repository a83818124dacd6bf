/** Runs operations for the typed view and the path view. The permission check and the operation share a transaction. */
import { KernelError } from '../../core/base/errors.ts'
import { type MaybePromise, recover, whenAvailable } from '../../core/base/maybe-promise.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Fields } from '../../core/field/field.ts'
import type { Values } from '../../core/field/parse.ts'
import type { Host } from '../../core/transaction/host.ts'
import type { Keyspace } from '../../core/transaction/keyspace.ts'
import { type Runnable, Runner } from '../../core/transaction/runner.ts'
import { aclCallerOf, authorizePermission, forgetAclCaller } from '../acl/acl-caller.ts'
import type { ConfigCall, ConfigTx } from '../call.ts'
import { configKey } from '../first-records.ts'
import { readCounter, tableIndexOf } from '../index/counter.ts'
import { type AnyConfigOperation, type ConfigInput, ResultWithMeta } from '../operation.ts'
import { resolveNamespace, type ScopeParameters } from '../scope.ts'

/** The result of an operation; `value` is undefined if the requested record does not exist. */
export interface OperationResult {
  readonly value: unknown
  /** The body of the response to a request. */
  readonly wire: unknown
  /** The index of the table that the operation reads; undefined if it reads none. */
  readonly index: number | undefined
  /** Whether elements were left out because the caller may not read them. */
  readonly filtered: boolean
  /** The storage key of the only record on which the result depends; used by blocking reads. */
  readonly key: string | undefined
}

/** The state that `prepare` has read was changed, so `prepare` must run again. */
export class ConcurrentChangeError extends Error {}

/** The maximum number of times that `prepare` runs for one write. It is low, because each run may call a port. */
const MAX_PREPARE_TRIES = 5

export class ConfigRunner {
  readonly #host: Host
  readonly #runner: Runner<ConfigCall, ConfigTx>

  constructor(host: Host, place: Keyspace) {
    this.#host = host
    this.#runner = new Runner(host, place)
  }

  /** Runs a read that is not part of an operation. */
  read<T>(body: (tx: ConfigTx) => T, call: ConfigCall): T | Promise<T> {
    return this.#runner.read(body, call)
  }

  /** Runs and commits a write that is not part of an operation. */
  async commit(body: (tx: ConfigTx) => void, call: ConfigCall): Promise<void> {
    const run = (tx: ConfigTx): undefined => void body(tx)
    await this.#runner.runInTransaction({ kind: 'write', run }, {}, call)
  }

  /**
   * @param waits Whether the caller is a blocking read, which needs `key` in the result.
   * @throws KernelError if the operation or its permission check fails
   */
  run(op: AnyConfigOperation, input: Values, call: ConfigCall, waits = false): MaybePromise<OperationResult> {
    op.check?.(input as ConfigInput<Fields, Fields>)
    const request = { ...call, tokenIds: new Map() }
    if (op.prepare) return this.#runPrepared(op, input, request)
    return whenAvailable(this.#readBody(op, input, request), (read) => {
      const runnable = runnableOf(op, read, waits)
      const cached = op.lists ? undefined : this.#runner.runCached(runnable, input, request)
      return cached ? resultOf(cached) : this.#runner.runInTransaction(runnable, input, request).then(resultOf)
    })
  }

  #readBody({ readBody }: AnyConfigOperation, input: Values, call: ConfigCall): unknown {
    if (!readBody) return undefined
    return whenAvailable(this.#unknownCaller(call), (refusal) => {
      const steps = readBody(input as ConfigInput<Fields, Fields>, refusal)
      const first = steps.next()
      return first.done ? first.value : new Slices(this.#host.clock).drive(steps, first)
    })
  }

  /** Returns the error if the caller is unknown, so that callers without a valid token cannot cause the work of validating a body. */
  #unknownCaller(call: ConfigCall): MaybePromise<KernelError | undefined> {
    const resolve = (): MaybePromise<KernelError | undefined> =>
      this.#runner.read((tx) => {
        forgetAclCaller(tx)
        aclCallerOf(tx)
        return undefined
      }, call)
    return recover(resolve, (thrown) => {
      if (thrown instanceof KernelError && thrown.status < 500) return thrown
      throw thrown
    })
  }

  async #runPrepared(op: AnyConfigOperation, input: Values, call: ConfigCall): Promise<OperationResult> {
    for (let looks = 1; ; looks++) {
      const known = await this.#runner.readInTransaction((tx) => {
        forgetAclCaller(tx)
        authorizeCaller(tx, op, input)
        return op.prepare?.(tx, input as ConfigInput<Fields, Fields>)
      }, call)
      try {
        return resultOf(await this.#runner.runInTransaction(runnableOf(op, known, false), input, call))
      } catch (thrown) {
        if (!(thrown instanceof ConcurrentChangeError)) throw thrown
        if (looks === MAX_PREPARE_TRIES)
          throw new KernelError(
            'ERR_UNAVAILABLE',
            'records that the request depends on keep changing; nothing was written; retry later',
          )
      }
    }
  }
}

const resultOf = ({ value }: { readonly value: Values | undefined }): OperationResult => value as unknown as OperationResult

const runnableOf = (op: AnyConfigOperation, prepared: unknown, waits: boolean): Runnable<ConfigTx> => ({
  kind: op.kind,
  run(tx, input) {
    forgetAclCaller(tx)
    // Read the counter first, so that the commit fails if anything has changed since.
    const counter = readCounter(tx)
    const index = op.table && tableIndexOf(counter, op.table)
    authorizeCaller(tx, op, input)
    const made = op.run(tx, input as ConfigInput<Fields, Fields>, prepared)
    const { value, wire, filtered } = made instanceof ResultWithMeta ? made : { value: made, wire: made, filtered: false }
    const about = waits ? op.recordRead?.(tx, input as ConfigInput<Fields, Fields>) : undefined
    return { value, wire, index, filtered, key: about && configKey(about.kind, about.id) }
  },
})

function authorizeCaller(tx: ConfigTx, op: AnyConfigOperation, input: Values): void {
  if (!op.permission) return
  const aclCaller = aclCallerOf(tx)
  authorizePermission(aclCaller, resolveNamespace(tx, aclCaller, input as ScopeParameters, true), op.permission)
}
