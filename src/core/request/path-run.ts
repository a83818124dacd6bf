/** Runs an operation for a call by path and creates the response envelope. */
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { type MaybePromise, whenAvailable } from '../base/maybe-promise.ts'
import { Slices } from '../base/slices.ts'
import type { AnyBatch, AnySingle } from '../contract/operation.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { WireReply } from '../contract/wire-reply.ts'
import { decodeAll, decodeLong, encodeResult, type Values } from '../field/parse.ts'
import { withVaultNames } from '../field/wire-names.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import { envelope, failure } from './envelope.ts'
import { batchStatus, readItems } from './path-batch.ts'
import { readInput, type WireInput } from './path-input.ts'
import type { RunningRequest } from './path-request.ts'
import { showItem } from './shown-item.ts'

/** The estimated time to convert the result of an item to JSON values. */
const SHOW_MICROSECONDS = 2

export class PathRunner {
  readonly #clock: Clock
  readonly #entropy: Entropy
  readonly #vaultNames: boolean

  /** @param vaultNames Whether results also contain the names that Vault uses for result fields. */
  constructor(clock: Clock, entropy: Entropy, vaultNames: boolean) {
    this.#clock = clock
    this.#entropy = entropy
    this.#vaultNames = vaultNames
  }

  run(request: RunningRequest): MaybePromise<KernelResponse> {
    const { operation, mount, data, call } = request
    if (!operation.authorizes) return this.#read(request)
    return mount.executor.authorize(operation.authorizes, data, call).then(() => this.#read(request))
  }

  #read(request: RunningRequest): MaybePromise<KernelResponse> {
    const { operation, captures, data } = request
    const input = readInput(operation, captures, data)
    if (operation.batch)
      return input.item ? this.#item(request, operation, input, input.item) : this.#batch(request, operation, input)
    if (!input.late) return this.#single(request, operation, input)
    return new Slices(this.#clock).drive(input.late).then((fields) => this.#single(request, operation, { ...input, fields }))
  }

  #single(request: RunningRequest, op: AnySingle, input: WireInput): MaybePromise<KernelResponse> {
    const shown = (value: Values): Values => {
      const result = encodeResult(op.returns, value, input.fields)
      return this.#vaultNames ? withVaultNames(op.returns, result) : result
    }
    const show = ({ value, warnings = NO_WARNINGS }: OperationOutcome<Values | undefined>): KernelResponse => {
      if (nothing(op, value)) return failure(404, [])
      // As in Vault, an empty response to a write contains no warnings about parameters.
      if (value === undefined) return this.#envelope(request, { data: undefined }, warnings)
      return this.#envelope(request, op.wire?.(value) ?? { data: shown(value) }, [...input.warnings, ...warnings])
    }
    const refuse = (thrown: unknown): KernelResponse => {
      if (!(thrown instanceof KernelError && thrown.shown)) throw thrown
      const { data, warnings = NO_WARNINGS } = thrown.shown
      return this.#envelope(request, { status: thrown.status, data }, warnings, [])
    }
    try {
      const outcome = request.mount.executor.single(op, input.fields, request.call)
      return outcome instanceof Promise ? outcome.then(show, refuse) : show(outcome)
    } catch (thrown) {
      return refuse(thrown)
    }
  }

  #item(request: RunningRequest, op: AnyBatch, input: WireInput, item: Values): MaybePromise<KernelResponse> {
    const show = ({ value, warnings }: OperationOutcome<Values>): KernelResponse => {
      const said = warnings ? [...input.warnings, ...warnings] : input.warnings
      return this.#envelope(request, { data: encodeResult(op.returns, value) }, said)
    }
    const long = decodeLong(op.item, item)
    return whenAvailable(long ? new Slices(this.#clock).drive(long) : item, (coerced) =>
      whenAvailable(request.mount.executor.items.run(op, input.fields, decodeAll(op.item, coerced), request.call), show),
    )
  }

  async #batch(request: RunningRequest, op: AnyBatch, input: WireInput): Promise<KernelResponse> {
    const slices = new Slices(this.#clock)
    const items = await readItems(op, input.batchInput, slices)
    const { value, warnings } = await request.mount.executor.batch(op, input.fields, items, request.call)
    const batch_results: Values[] = []
    for (const [index, result] of value.entries()) {
      batch_results.push(showItem(op, result, items.references[index] as string))
      if (slices.spend(SHOW_MICROSECONDS)) await slices.giveWay()
    }
    const status = batchStatus(op, value, input.partialFailureStatus)
    const said = [...input.warnings, ...(warnings ?? []), ...status.warnings]
    return this.#envelope(request, { status: status.status, data: { batch_results } }, said, status.errors)
  }

  #envelope(
    { mount, record }: RunningRequest,
    reply: WireReply,
    warnings: readonly string[],
    errors?: readonly string[],
  ): KernelResponse {
    return envelope(reply, { warnings, errors }, mount.record.type, this.#entropy, record?.request.id)
  }
}

const NO_WARNINGS: readonly string[] = []

/** Whether a read found no record or a list has no entries. The status is then 404. */
function nothing(op: AnySingle, value: Values | undefined): boolean {
  if (op.verb === 'GET') return value === undefined
  if (op.verb !== 'LIST') return false
  return value === undefined || (value['keys'] as readonly string[] | undefined)?.length === 0
}
