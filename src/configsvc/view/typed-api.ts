/** The typed view: an object with a method for each operation. */
import { notFound } from '../../core/base/errors.ts'
import { type MaybePromise, whenAvailable } from '../../core/base/maybe-promise.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Steps } from '../../core/base/steps.ts'
import { snapshotJsonOrSteps } from '../../core/exchange/snapshot.ts'
import { parseTyped, type TypedTable, typedTable, type Values } from '../../core/field/parse.ts'
import type { ConfigCall } from '../call.ts'
import type { ConfigCore } from '../core.ts'
import {
  type AnyConfigOperation,
  type ConfigApi,
  type ConfigOperations,
  maxBodyBytesOf,
  notFoundMessageOf,
  type WatchOptions,
} from '../operation.ts'
import { watchRead } from './watch.ts'

/** The typed methods of a facade. `watch` yields `never` here, because only the generated interfaces declare the types that it yields. */
export type ConfigFacade<O extends ConfigOperations> = ConfigApi<O> & {
  watch(read: string, args?: object, options?: WatchOptions): AsyncIterable<never>
}

/** @param call The caller on whose behalf the methods run. */
export function typedApi<O extends ConfigOperations>(operations: O, core: ConfigCore, call: ConfigCall): ConfigFacade<O> {
  const methods = Object.entries(operations).map(([name, operation]) => [name, methodOf(name, operation, core, call)])
  const watch = (name: string, args: Values = {}, options: WatchOptions = {}): AsyncIterable<unknown> => {
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
    if (!operation?.table) throw new TypeError('watch: must be the name of a read method, such as list')
    return watchRead(core, operation, typedInput(operation, args), call, options)
  }
  return Object.fromEntries([...methods, ['watch', watch]]) as ConfigFacade<O>
}

/** @throws TypeError if an argument is missing, unknown or of the wrong type; KernelError if a value is invalid for another reason. */
export function typedInput(operation: AnyConfigOperation, args: Values): Values {
  const parsed = parseTyped(tableOf(operation), args)
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined))
}

/** Compiled at the first call of an operation, and shared by all views that `as(token)` creates. */
const tables = new WeakMap<AnyConfigOperation, TypedTable>()

function tableOf(operation: AnyConfigOperation): TypedTable {
  const known = tables.get(operation)
  if (known) return known
  const table = typedTable({ ...operation.body, ...operation.fields })
  tables.set(operation, table)
  return table
}

function methodOf(name: string, operation: AnyConfigOperation, core: ConfigCore, call: ConfigCall) {
  const ask = async (args: Values): Promise<unknown> => {
    if (typeof args !== 'object' || args === null) throw new TypeError(`${name}: must be an object of named arguments`)
    const sent = copiedInput(operation, typedInput(operation, args), core)
    core.gate.check()
    const asked = whenAvailable(sent, (input) => whenAvailable(core.ready(), () => core.runner.run(operation, input, call)))
    const found = await core.gate.track(Promise.resolve(asked))
    if (found.value === undefined) throw notFound(notFoundMessageOf(operation, await sent))
    return found.value
  }
  const { leads } = operation
  if (leads === undefined) return (args: Values = {}) => ask(args)
  return (lead: unknown, args: Values = {}) => ask({ ...args, [leads]: lead })
}

/**
 * Copies the arguments that the caller may change after the call has returned. While large arguments are copied, other work runs in
 * between, so they must not be changed until the call resolves.
 */
function copiedInput(operation: AnyConfigOperation, input: Values, { host }: ConfigCore): MaybePromise<Values> {
  const members = (operation.copies ?? []).filter((member) => input[member] !== undefined)
  if (members.length === 0) return input
  const take = (copy: unknown): Values => ({ ...input, ...(copy as Values) })
  const deep = Object.fromEntries(members.map((member) => [member, input[member]]))
  const later = (steps: Steps<unknown>): Promise<Values> => new Slices(host.clock).drive(steps).then(take)
  return snapshotJsonOrSteps<MaybePromise<Values>>(deep, maxBodyBytesOf(operation), take, later)
}
