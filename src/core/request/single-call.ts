/**
 * Typed calls of operations without items, and of one item of those that have them.
 */
import { Slices } from '../base/slices.ts'
import { segmentsOf } from '../contract/captures.ts'
import type { AnyBatch, AnySingle } from '../contract/operation.ts'
import { parseLate, sentLate, typedTable, type Values } from '../field/parse.ts'
import type { Spot } from './typed-access.ts'
import { answer, type Call, parsedFor } from './typed-call.ts'
import { itemForm, singleForm } from './typed-form.ts'

export function callSingle(operation: AnySingle): Call {
  const table = typedTable(operation.fields)
  const segments = segmentsOf(operation)
  const form = singleForm(operation)
  return (binding, args, { transaction, remoteAddress }) => {
    const { access, clock } = binding
    if (remoteAddress !== undefined && typeof remoteAddress !== 'string') throw new TypeError('remoteAddress: must be a string')
    const input = parsedFor(binding, operation, segments, table, args)
    const run = ({ mount, call }: Spot, _isFresh: boolean, own: Values) => mount.executor.single(operation, own, call, transaction)
    const late = table.late.length > 0 ? parseLate(table, input) : undefined
    if (!late) return answer(binding, operation, table, input, access.enter(form, input, run, remoteAddress))
    const begin = async () => {
      const slices = new Slices(clock)
      const whole = await slices.drive(late)
      const ready = access.looksAtSent ? await slices.drive(sentLate(table, whole)) : undefined
      const sent: typeof form = ready ? { ...form, sent: (given, captures) => form.sent(given, captures, ready) } : form
      return access.enter(sent, whole, run, remoteAddress)
    }
    return answer(binding, operation, table, input, begin())
  }
}

export function callItem(operation: AnyBatch): Call {
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
    return answer(binding, operation, table, input, binding.access.enter(form, input, signal ? runWith(signal) : run))
  }
}
