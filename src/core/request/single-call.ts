/** Typed calls of operations without items, and of batch operations if they are called with a single item. */
import { Slices } from '../base/slices.ts'
import { segmentsOf } from '../contract/captures.ts'
import type { AnyBatch, AnySingle } from '../contract/operation.ts'
import { parseLate, sentLate, typedTable, type Values } from '../field/parse.ts'
import type { CallTarget } from './typed-access.ts'
import { parsedFor, replyTo, type TypedMethod } from './typed-call.ts'
import { itemForm, singleForm } from './typed-form.ts'

export function callSingle(operation: AnySingle): TypedMethod {
  const table = typedTable(operation.fields)
  const segments = segmentsOf(operation)
  const form = singleForm(operation)
  return (binding, args, { transaction, remoteAddress }) => {
    const { access, clock } = binding
    if (remoteAddress !== undefined && typeof remoteAddress !== 'string') throw new TypeError('remoteAddress: must be a string')
    const input = parsedFor(binding, operation, segments, table, args)
    const run = ({ mount, call }: CallTarget, _isFresh: boolean, own: Values) =>
      mount.executor.single(operation, own, call, transaction)
    const late = table.late.length > 0 ? parseLate(table, input) : undefined
    if (!late) return replyTo(binding, operation, table, input, access.enter(form, input, run, remoteAddress))
    const begin = async () => {
      const slices = new Slices(clock)
      const whole = await slices.drive(late)
      const ready = access.inspectsParameters ? await slices.drive(sentLate(table, whole)) : undefined
      const sent: typeof form = ready ? { ...form, sent: (given, captures) => form.sent(given, captures, ready) } : form
      return access.enter(sent, whole, run, remoteAddress)
    }
    return replyTo(binding, operation, table, input, begin())
  }
}

export function callItem(operation: AnyBatch): TypedMethod {
  // The same object is passed as input and as item. This works because both are read by name.
  const table = typedTable({ ...operation.fields, ...operation.item })
  const segments = segmentsOf(operation)
  const form = itemForm(operation)
  const runWith =
    (signal: AbortSignal | undefined) =>
    ({ mount, call }: CallTarget, isFresh: boolean, own: Values) =>
      mount.executor.items.run(operation, own, own, call, signal, isFresh)
  const run = runWith(undefined)
  return (binding, args, { signal }) => {
    const input = parsedFor(binding, operation, segments, table, args)
    return replyTo(binding, operation, table, input, binding.access.enter(form, input, signal ? runWith(signal) : run))
  }
}
