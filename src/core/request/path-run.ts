/** Runs an operation for a call by path and creates the response envelope. */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { Slices } from '../base/slices.ts'
import type { AnyBatch, AnyOperation, AnySingle } from '../contract/operation.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'
import type { WireReply } from '../contract/wire-reply.ts'
import type { Fields } from '../field/field.ts'
import { decodeAll, decodeLong, encodeResult, type Values } from '../field/parse.ts'
import { withVaultNames } from '../field/wire-names.ts'
import type { Mount } from '../mount/mount.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import { envelope, failure } from './envelope.ts'
import { batchStatus, readItems } from './path-batch.ts'
import { readInput, type WireInput } from './path-input.ts'
import { showItem } from './shown-item.ts'

/** An authorized call by path. */
export interface PathRun {
  readonly mount: Mount
  readonly operation: AnyOperation
  readonly captures: Readonly<Record<string, string>>
  readonly data: Values
  readonly call: Call
  /** The request id, if it was assigned before the operation runs. */
  readonly id: string | undefined
}

/** The estimated time to convert the result of an item to JSON values. */
const SHOW_MICROSECONDS = 2

export class PathRunner {
  readonly #clock: Clock
  readonly #entropy: Entropy
  readonly #originalNames: boolean

  /** @param originalNames Whether results also contain the names that Vault uses for result fields. */
  constructor(clock: Clock, entropy: Entropy, originalNames: boolean) {
    this.#clock = clock
    this.#entropy = entropy
    this.#originalNames = originalNames
  }

  run(run: PathRun): KernelResponse | Promise<KernelResponse> {
    const { operation, mount, data, call } = run
    if (!operation.authorizes) return this.#read(run)
    return mount.executor.authorize(operation.authorizes, data, call).then(() => this.#read(run))
  }

  #read(run: PathRun): KernelResponse | Promise<KernelResponse> {
    const { operation, captures, data } = run
    const input = readInput(operation, captures, data)
    if (!operation.batch) {
      if (!input.late) return this.#single(run, operation, input)
      return new Slices(this.#clock).drive(input.late).then((fields) => this.#single(run, operation, { ...input, fields }))
    }
    if (input.item) return this.#coerced(run, operation, input, input.item)
    return this.#batch(run, operation, input)
  }

  #single({ mount, call, id }: PathRun, op: AnySingle, input: WireInput): KernelResponse | Promise<KernelResponse> {
    const show = ({ value, warnings = NO_WARNINGS }: OperationOutcome<Values | undefined>): KernelResponse => {
      if (nothing(op, value)) return failure(404, [])
      // As in Vault, an empty response to a write contains no warnings about parameters.
      if (value === undefined) return this.#envelope(mount, id, { data: undefined }, warnings)
      const reply: WireReply = op.wire?.(value) ?? {
        data: this.#named(op.returns, encodeResult(op.returns, value, input.fields)),
      }
      return this.#envelope(mount, id, reply, [...input.warnings, ...warnings])
    }
    const refuse = (thrown: unknown): KernelResponse => {
      if (!(thrown instanceof KernelError && thrown.shown)) throw thrown
      const { data, warnings = NO_WARNINGS } = thrown.shown
      return this.#envelope(mount, id, { status: thrown.status, data }, warnings, [])
    }
    try {
      const outcome = mount.executor.single(op, input.fields, call)
      return outcome instanceof Promise ? outcome.then(show, refuse) : show(outcome)
    } catch (thrown) {
      return refuse(thrown)
    }
  }

  #coerced(run: PathRun, op: AnyBatch, input: WireInput, item: Values): KernelResponse | Promise<KernelResponse> {
    const long = decodeLong(op.item, item)
    if (!long) return this.#item(run, op, input, decodeAll(op.item, item))
    return new Slices(this.#clock).drive(long).then((decoded) => this.#item(run, op, input, decodeAll(op.item, decoded)))
  }

  #item({ mount, call, id }: PathRun, op: AnyBatch, input: WireInput, item: Values): KernelResponse | Promise<KernelResponse> {
    const show = ({ value, warnings }: OperationOutcome<Values>): KernelResponse => {
      const said = warnings ? [...input.warnings, ...warnings] : input.warnings
      return this.#envelope(mount, id, { data: encodeResult(op.returns, value) }, said)
    }
    const outcome = mount.executor.item(op, input.fields, item, call)
    return outcome instanceof Promise ? outcome.then(show) : show(outcome)
  }

  async #batch({ mount, call, id }: PathRun, op: AnyBatch, input: WireInput): Promise<KernelResponse> {
    const slices = new Slices(this.#clock)
    const items = await readItems(op, input.batchInput, slices)
    const { value, warnings } = await mount.executor.batch(op, input.fields, items, call)
    const batch_results: Values[] = []
    for (const [index, result] of value.entries()) {
      batch_results.push(showItem(op, result, items.references[index] as string))
      if (slices.spend(SHOW_MICROSECONDS)) await slices.giveWay()
    }
    const status = batchStatus(op, value, input.partialFailureStatus)
    const said = [...input.warnings, ...(warnings ?? []), ...status.warnings]
    return this.#envelope(mount, id, { status: status.status, data: { batch_results } }, said, status.errors)
  }

  #named(fields: Fields, data: Values): Values {
    return this.#originalNames ? withVaultNames(fields, data) : data
  }

  #envelope(
    mount: Mount,
    id: string | undefined,
    reply: WireReply,
    warnings: readonly string[],
    errors?: readonly string[],
  ): KernelResponse {
    return envelope(reply, { warnings, errors }, mount.record.type, this.#entropy, id)
  }
}

const NO_WARNINGS: readonly string[] = []

/** Whether a read found no record or a list has no entries. The status is then 404. */
function nothing(op: AnySingle, value: Values | undefined): boolean {
  if (op.verb === 'GET') return value === undefined
  if (op.verb !== 'LIST') return false
  return value === undefined || (value['keys'] as readonly string[] | undefined)?.length === 0
}
