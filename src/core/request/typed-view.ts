/**
 * The typed view at run time: one class per engine, whose methods parse, execute and resolve.
 */
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError, notFound } from '../base/errors.ts'
import type { Eventually } from '../base/eventually.ts'
import { Slices } from '../base/slices.ts'
import type { Api, CallOptions } from '../contract/api.ts'
import { checkCaptures, checkSegments, segmentsOf } from '../contract/captures.ts'
import type { FacadeParts } from '../contract/engine.ts'
import type { AnyBatch, AnyOperation, AnySingle, Operations } from '../contract/operation.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { Gate } from '../exchange/gate.ts'
import { parseLate, parseTyped, sentLate, type TypedTable, typedTable, type Values } from '../field/parse.ts'
import { PathPattern } from '../field/path-pattern.ts'
import type { Change } from '../storage/port.ts'
import type { BatchItems } from '../transaction/batch.ts'
import type { Outcome } from '../transaction/runner.ts'
import { atAwaiter, atCaller } from './caller-line.ts'
import type { Standing } from './standing.ts'
import type { Spot, TypedAccess } from './typed-access.ts'
import { batchForm, itemForm, singleForm } from './typed-form.ts'

/** The mount and the access that a view is bound to. */
export interface Binding {
  readonly gate: Gate
  readonly clock: Clock
  readonly access: TypedAccess
  /** Shorter bytes of a call are used before it returns, if it does not have to wait. */
  readonly copyAbove: number
  readonly tracer: Tracer
  /** The same view of an engine mounted elsewhere. */
  readonly at: (path: string) => unknown
  readonly leases: () => FacadeParts['leases']
  readonly atTick: FacadeParts['atTick']
  readonly standing: () => Standing
  /** Hears of every change of records until the returned function is called. */
  readonly onChange: (listener: (change: Change) => void) => () => void
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
}

/** @throws as {@link parseTyped}, and KernelError 404 for a value that no path may hold. */
function parsedFor(
  { copyAbove }: Binding,
  operation: AnyOperation,
  segments: readonly string[],
  table: TypedTable,
  args: Values,
): Values {
  try {
    const input = parseTyped(table, args, copyAbove)
    checkSegments(segments, input)
    return input
  } catch (error) {
    // A path that does not exist takes precedence over other errors in a value.
    if (error instanceof KernelError) checkCaptures(operation, args)
    throw error
  }
}

/** Holds the binding where no inspection shows it. */
class TypedView {
  readonly #binding: Binding

  constructor(binding: Binding) {
    this.#binding = binding
  }

  static bindingOf(view: TypedView): Binding {
    return view.#binding
  }

  at(path: string): unknown {
    return this.#binding.at(path)
  }
}

type ViewClass<O extends Operations> = new (binding: Binding) => Api<O>

const classes = new WeakMap<Operations, unknown>()

/** The class of an engine's typed view, made once per engine; an instance costs one allocation. */
export function typedView<O extends Operations>(operations: O): ViewClass<O> {
  const known = classes.get(operations)
  if (known) return known as ViewClass<O>
  class EngineView extends TypedView {}
  for (const [name, operation] of Object.entries(operations)) {
    define(EngineView.prototype, name, operation, operation.batch ? callItem(operation) : callSingle(operation))
    if (operation.batch) define(EngineView.prototype, `${name}Batch`, operation, callBatch(operation))
  }
  classes.set(operations, EngineView)
  return EngineView as unknown as ViewClass<O>
}

/** Estimated cost of checking the members of one item of a batch. */
const READ_MICROSECONDS = 2

type Call = (binding: Binding, args: Values, options: CallOptions) => Promise<unknown>

const NO_ARGUMENTS: Values = Object.freeze({})

const NO_OPTIONS: CallOptions = Object.freeze({})

const NOTHING_NOTED = (): void => {}

function define(prototype: object, name: string, { verb, path, onMirror }: AnyOperation, call: Call): void {
  const method = function (this: TypedView, args: Values = NO_ARGUMENTS, options: CallOptions = NO_OPTIONS): Promise<unknown> {
    try {
      const binding = TypedView.bindingOf(this)
      if (typeof args !== 'object' || args === null) throw new TypeError(`${name}: takes an object of named arguments`)
      binding.gate.check(onMirror)
      const { tracer } = binding
      if (!tracer.listening) return call(binding, args, options)
      return tracer.request({ view: 'typed', verb, path }, async () => call(binding, args, options), NOTHING_NOTED)
    } catch (error) {
      return Promise.reject(atCaller(error, method))
    }
  }
  Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true })
}

function callSingle(operation: AnySingle): Call {
  const table = typedTable(operation.fields)
  const segments = segmentsOf(operation)
  const form = singleForm(operation)
  return (binding, args, { within, remote_address }) => {
    const { access, clock } = binding
    if (remote_address !== undefined && typeof remote_address !== 'string')
      throw new TypeError('remote_address: must be a string')
    const input = parsedFor(binding, operation, segments, table, args)
    const run = ({ mount, call }: Spot, _isFresh: boolean, own: Values) => mount.executor.single(operation, own, call, within)
    const late = table.late.length > 0 ? parseLate(table, input) : undefined
    if (!late) return answer(binding, operation, input, access.enter(form, input, run, remote_address))
    const begin = async () => {
      const slices = new Slices(clock)
      const whole = await slices.drive(late)
      const ready = access.looksAtSent ? await slices.drive(sentLate(table, whole)) : undefined
      const sent: typeof form = ready ? { ...form, sent: (given, captures) => form.sent(given, captures, ready) } : form
      return access.enter(sent, whole, run, remote_address)
    }
    return answer(binding, operation, input, begin())
  }
}

function callItem(operation: AnyBatch): Call {
  // One object serves as both input and item: both are read by name.
  const table = typedTable({ ...operation.fields, ...operation.item })
  const segments = segmentsOf(operation)
  const form = itemForm(operation)
  const runWith =
    (signal: AbortSignal | undefined) =>
    ({ mount, call }: Spot, isFresh: boolean, own: Values) =>
      mount.executor.item(operation, own, own, call, signal, isFresh)
  const run = runWith(undefined)
  return (binding, args, { signal }) => {
    const input = parsedFor(binding, operation, segments, table, args)
    return answer(binding, operation, input, binding.access.enter(form, input, signal ? runWith(signal) : run))
  }
}

function callBatch(operation: AnyBatch): Call {
  const table = typedTable(operation.fields, ['batch_input'])
  const segments = segmentsOf(operation)
  const itemTable = typedTable(operation.item, ['reference'])
  const form = batchForm(operation)
  const items = async (args: Values, slices: Slices): Promise<BatchItems & { references: string[] }> => {
    const given = args['batch_input']
    if (!Array.isArray(given)) throw new TypeError('batch_input: must be an array')
    if (given.length === 0) throw invalid('batch_input: must hold at least one item')
    const parsed: (Values | Error)[] = []
    const references: string[] = []
    for (const item of given as readonly Values[]) {
      if (typeof item !== 'object' || item === null) throw new TypeError('batch_input: every item must be an object')
      references.push(referenceOf(item))
      parsed.push(parseItem(itemTable, item))
      if (slices.spend(READ_MICROSECONDS)) await slices.giveWay()
    }
    return { all: parsed, raw: given as readonly Values[], references }
  }
  return (binding, args, { signal }) => {
    const { access, clock } = binding
    const input = parsedFor(binding, operation, segments, table, args)
    // Begins at once, whatever the call waits for first: items are taken as they are now.
    const given = items(args, new Slices(clock, signal))
    given.catch(() => {})
    const run = async ({ mount, call }: Spot): Promise<Outcome<Values>> => {
      const { references, ...all } = await given
      const { value, warnings } = await mount.executor.batch(operation, input, all, call, signal)
      const batch_results = value.map((result, index) => withReference(result, references[index] as string))
      return { value: { batch_results }, warnings }
    }
    return answer(binding, operation, input, access.enter(form, { ...args, ...input }, run))
  }
}

/** Results are fresh objects without other holders; copying each would cost half as much as an encryption. */
function withReference(result: Values | Error, reference: string): Values {
  if (result instanceof Error) return { error: result, reference }
  ;(result as Record<string, unknown>)['reference'] = reference
  return result
}

/** A value outside its rule is the item's error; a wrong JavaScript type is the caller's and fails the call. */
function parseItem(table: TypedTable, item: Values): Values | Error {
  try {
    return parseTyped(table, item, 0)
  } catch (error) {
    if (error instanceof TypeError || !(error instanceof Error)) throw error
    return error
  }
}

function referenceOf(item: Values): string {
  const reference = item['reference'] ?? ''
  if (typeof reference !== 'string') throw new TypeError('reference: must be a string')
  return reference
}

function answer(
  { gate, access }: Binding,
  operation: AnyOperation,
  input: Values,
  made: Eventually<Outcome<Values | undefined>>,
): Promise<Values> {
  if (!(made instanceof Promise)) return Promise.resolve(reply(access.path, operation, input, made))
  // The promise that the caller gets has nobody else who waits for it: V8 follows a trace through such promises only.
  void gate.track(made)
  return answerLater(access.path, operation, input, made)
}

/** An async function, so that the trace of a refusal leads on to the caller who awaits it. */
async function answerLater(
  at: string,
  operation: AnyOperation,
  input: Values,
  made: Promise<Outcome<Values | undefined>>,
): Promise<Values> {
  try {
    return reply(at, operation, input, await made)
  } catch (error) {
    throw atAwaiter(error, answerLater)
  }
}

function reply(at: string, operation: AnyOperation, input: Values, { value, warnings }: Outcome<Values | undefined>): Values {
  if (value === undefined && operation.verb === 'GET') throw nothingAt(at, operation, input)
  if (!warnings?.length) return value ?? {}
  return { ...value, warnings }
}

/** Names the requested path, as the error of a request would. */
const nothingAt = (mount: string, { path }: AnyOperation, input: Values): KernelError =>
  notFound(`there is nothing at ${mount}${PathPattern.of(path).fill(input, {})}`)
