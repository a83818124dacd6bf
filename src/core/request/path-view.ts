/**
 * The path-addressed view: `handle(request)`. It never throws and never touches a socket.
 * The order of checks is the originals' (source: behaviour of the originals). Room: core/request. Imported by the composition root.
 */
import type { Capability } from '../auth/principal.ts'
import type { Tokens } from '../auth/root-token.ts'
import type { Clock } from '../clock.ts'
import type { Entropy } from '../entropy.ts'
import { invalid, KernelError } from '../errors.ts'
import type { Mount } from '../mount/mount.ts'
import type { AnyBatch, AnySingle } from '../operation/operation.ts'
import { decodeAll, decodeLong, encodeResult, type Values } from '../operation/parse.ts'
import { readData, readRequest, type Sent } from './decode.ts'
import { envelope, failure, failureOf } from './envelope.ts'
import type { Outcome } from './execute.ts'
import type { Gate } from './gate.ts'
import { readHeader } from './headers.ts'
import { parsePath } from './path.ts'
import { batchStatus, readItems, showItem } from './path-batch.ts'
import { readInput, type WireInput } from './path-input.ts'
import type { KernelRequest, KernelResponse } from './request.ts'
import { Slices } from './slices.ts'
import type { Targets } from './targets.ts'

export interface PathViewParts {
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly tokens: Tokens
  readonly headerPrefix: string
  readonly targets: Targets
}

/** Turning one item's result into JSON values. */
const SHOW_MICROSECONDS = 2

export class PathView {
  readonly #parts: PathViewParts
  readonly #tokenHeader: string

  constructor(parts: PathViewParts) {
    this.#parts = parts
    this.#tokenHeader = `${parts.headerPrefix}-Token`
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    try {
      const answer = this.#answer(request)
      if (!(answer instanceof Promise)) return Promise.resolve(answer)
      return this.#parts.gate.track(answer.catch(failureOf))
    } catch (thrown) {
      return Promise.resolve(failureOf(thrown))
    }
  }

  #answer(request: KernelRequest): KernelResponse | Promise<KernelResponse> {
    const sent = readRequest(request)
    const data = readData(sent, this.#parts.clock)
    return data instanceof Promise ? data.then((read) => this.#route(sent, read)) : this.#route(sent, data)
  }

  #route(sent: Sent, data: Values): KernelResponse | Promise<KernelResponse> {
    const { gate, tokens, targets } = this.#parts
    const { verb } = sent
    const known = targets.known(verb, sent.path)
    const path = known?.path ?? parsePath(sent.path)
    if (gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    gate.check()
    if (path.trailingSlash && (verb === 'POST' || verb === 'PATCH')) throw invalid("cannot write to a path ending in '/'")
    tokens.authenticate(this.#token(sent)).authorize(CAPABILITIES[verb], path.text)
    const { mount, operation, captures } = known ?? targets.find(verb, sent.path, path)
    const input = readInput(operation, captures, data)
    if (!operation.batch) return this.#single(mount, operation, input)
    if (input.item) return this.#coerced(mount, operation, input, input.item)
    return this.#batch(mount, operation, input)
  }

  #token({ headers }: Sent): string | undefined {
    const own = readHeader(headers, this.#tokenHeader)
    if (own) return own
    return /^bearer +(.*)$/i.exec(readHeader(headers, 'Authorization') ?? '')?.[1]?.trim()
  }

  #single(mount: Mount, op: AnySingle, input: WireInput): KernelResponse | Promise<KernelResponse> {
    const show = ({ value, warnings }: Outcome<Values | undefined>): KernelResponse => {
      if (nothing(op, value)) return failure(404, [])
      const data = value && encodeResult(op.returns, value, input.fields)
      return this.#envelope(mount, 200, data, [...input.warnings, ...(warnings ?? [])])
    }
    const outcome = mount.executor.single(op, input.fields)
    return outcome instanceof Promise ? outcome.then(show) : show(outcome)
  }

  #coerced(mount: Mount, op: AnyBatch, input: WireInput, item: Values): KernelResponse | Promise<KernelResponse> {
    const long = decodeLong(op.item, item)
    if (!long) return this.#item(mount, op, input, decodeAll(op.item, item))
    return new Slices(this.#parts.clock).drive(long).then((decoded) => this.#item(mount, op, input, decodeAll(op.item, decoded)))
  }

  #item(mount: Mount, op: AnyBatch, input: WireInput, item: Values): KernelResponse | Promise<KernelResponse> {
    const show = ({ value, warnings }: Outcome<Values>): KernelResponse =>
      this.#envelope(mount, 200, encodeResult(op.returns, value), warnings ? [...input.warnings, ...warnings] : input.warnings)
    const outcome = mount.executor.item(op, input.fields, item)
    return outcome instanceof Promise ? outcome.then(show) : show(outcome)
  }

  async #batch(mount: Mount, op: AnyBatch, input: WireInput): Promise<KernelResponse> {
    const slices = new Slices(this.#parts.clock)
    const items = await readItems(op, input.batchInput, slices)
    const { value, warnings } = await mount.executor.batch(op, input.fields, items)
    const batch_results: Values[] = []
    for (const [index, result] of value.entries()) {
      batch_results.push(showItem(op, result, items.references[index] as string))
      if (slices.spend(SHOW_MICROSECONDS)) await slices.giveWay()
    }
    const status = batchStatus(op, value, input.partialFailureStatus)
    const said = [...input.warnings, ...(warnings ?? []), ...status.warnings]
    return this.#envelope(mount, status.status, { batch_results }, said, status.errors)
  }

  #envelope(
    mount: Mount,
    status: number,
    data: Values | undefined,
    warnings: readonly string[],
    errors?: readonly string[],
  ): KernelResponse {
    return envelope({ status, data, warnings, errors, mountType: mount.record.type }, this.#parts.entropy)
  }
}

/** What a verb asks for; verbs without an entry are nobody's but root's. */
const CAPABILITIES: Readonly<Record<string, Capability>> = {
  GET: 'read',
  LIST: 'list',
  POST: 'update',
  DELETE: 'delete',
  PATCH: 'patch',
}

/** A read that finds nothing and a list without entries: there is nothing at that path. */
function nothing(op: AnySingle, value: Values | undefined): boolean {
  if (op.verb === 'GET') return value === undefined
  return op.verb === 'LIST' && (value?.['keys'] as readonly string[] | undefined)?.length === 0
}
